"""Labs: code, text, notebooks, and what a page shows of them."""
