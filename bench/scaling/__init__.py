"""What grows with people, matches, nodes and spectators, and what does not. See docs/scaling.md."""
