"""Matches as they happened: from a server or a file, step by step, to a file, and what an analysis says of them."""
