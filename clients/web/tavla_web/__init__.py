"""The page for browsers, as the server gives it away: made of ../src by ../build.mjs; and its `addresses`."""
