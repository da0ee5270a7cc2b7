"""Kit for bots: an author writes a `Bot`, a `Pilot` plays one match with it, a `Runner` finds matches by a `Finder`."""
