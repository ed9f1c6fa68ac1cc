"""The fences of the guide, made into HTML by Python-Markdown."""
