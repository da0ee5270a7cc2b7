"""Input: arguments of the shell and their completion, commands and plays in a match, the prompt."""
