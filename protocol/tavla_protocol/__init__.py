"""What travels between server and clients: messages, their encoding, and the view of a match. Pure: no I/O."""

SUBPROTOCOL = "tavla.v1"
