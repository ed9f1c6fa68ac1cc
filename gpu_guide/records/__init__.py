"""Records of what other machines printed: kept, compared, and shown as evidence."""
