"""What readers install: the command `gpu-guide`, and a plug-in for their own pytest.

`setup.py` puts into the wheel what this package imports, and the data that is read. The modules
`main`, `words`, `readers_python` and `doctor` run in Python 3.9, the others from 3.11 on.
"""
