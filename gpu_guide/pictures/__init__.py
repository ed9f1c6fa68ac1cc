"""Pictures drawn from small models of what they show; the tests run the same models."""
