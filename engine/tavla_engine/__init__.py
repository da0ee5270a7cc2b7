"""The rules of backgammon. Pure: no I/O, no clock, no randomness; dice are passed in."""
