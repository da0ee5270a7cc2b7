-- An account is closed: nobody can come in by it any more, and what it had is gone. That it was closed stays known for a
-- while, for what is still to be forgotten elsewhere.
--
-- KEYS: the player's hash, tokens, closed, and what goes with it. ARGV: the password's hash; when closed expires, in s.
-- Returns 1; 0 if the password is another, or the account is closed already.

if redis.call('HGET', KEYS[1], 'password') ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[3], '', 'EX', ARGV[2])
redis.call('DEL', KEYS[1], KEYS[2], unpack(KEYS, 4))
return 1
