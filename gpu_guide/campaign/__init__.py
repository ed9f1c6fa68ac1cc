"""A measurement campaign: everything that a GPU can prove, recorded in the minutes there are."""
