"""Protocol between server and clients: messages, their encoding, and the view of a match. Pure: no I/O."""

__version__ = "0.1.0"  # of all that is Tavla: pyproject.toml reads it here, client and server show it as theirs
SUBPROTOCOL = "tavla.v1"
