"""The diagnosis of a pasted text: facts of the machine that printed it, judged by
data/diagnosis.yml.

theme/assets/diagnose.js does the same on the page reference/diagnose; tests compare the two, so
change both together.
"""
