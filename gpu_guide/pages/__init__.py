"""The pages as Markdown: parsing and checking them."""
