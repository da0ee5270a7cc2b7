"""Screens of the terminal: a match, the lobby, the board; and the commands that are typed there."""
