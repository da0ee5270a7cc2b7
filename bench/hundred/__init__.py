"""Many thousands of people at once, and one server process killed among them."""
