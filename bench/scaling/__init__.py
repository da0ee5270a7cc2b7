"""Costs that grow with people, matches, nodes and spectators, and those that do not. See docs/scaling.md."""
