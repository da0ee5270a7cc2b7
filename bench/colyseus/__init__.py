"""A third yardstick: the same game on Colyseus, a framework for game servers in Node."""
