"""The page for browsers, as the server gives it away: page.html, made of ../src by ../build.mjs. No code."""
