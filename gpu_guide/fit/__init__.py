"""Will it fit: how many bytes a model takes on each GPU. Formulas, and nothing that runs PyTorch.

theme/assets/fit.js has the same formulas; tests/data/fit_vectors.json compares the two.
communication.py says what each GPU sends in a step, for multi-gpu/.
"""
