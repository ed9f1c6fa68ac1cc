"""Will it fit: how many bytes a model takes on each GPU. Formulas, and nothing that runs PyTorch.

theme/assets/fit.js has the same formulas; tests/fit_vectors.json holds both against each other.
communication.py says what each GPU sends in a step, for multi-gpu/.
"""
