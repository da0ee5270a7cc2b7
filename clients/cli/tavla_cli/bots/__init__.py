"""Programs that play: their class by its name, running them, one against another, one as an opponent."""
