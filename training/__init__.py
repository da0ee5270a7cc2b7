"""Training of the house bot's network; nothing that plays imports it. See `__main__`."""
