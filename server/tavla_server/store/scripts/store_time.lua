-- What the clock of a key's master shows.
--
-- KEYS: any key there. Returns seconds since 1970, and microseconds.

return redis.call('TIME')
