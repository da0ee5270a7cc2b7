"""What fills the terminal: a match, the lobby, the board; and what is done there when a command is typed."""
