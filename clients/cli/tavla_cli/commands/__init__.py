"""The commands of the shell: `tavla create`, `tavla play`, `tavla bot run`, ... Those of one kind share a file."""
