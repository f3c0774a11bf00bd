-- Ends the script when there is no such wallet, or a newer release's.
local release = redis.call('HMGET', KEYS[1], 'script_version', 'script_sha')
if not release[1] then return { '-1', 'no such wallet' } end
local too_old = outdated(release[1], release[2])
if too_old then return { '-1', too_old } end
