"""The page for browsers: as a server sends it, compared with the one that is installed; or served on this computer."""
