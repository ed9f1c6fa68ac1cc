"""What a pasted text says of the machine that printed it: read, judged by data/diagnosis.yml.

theme/assets/diagnose.js does the same on the page reference/diagnose; tests compare the two, so
change both together.
"""
