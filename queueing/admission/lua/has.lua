--[[ admission/has
Purpose: Whether a device has a task here that has not ended.
KEYS[1] {gate}           HASH    script_version, script_sha
KEYS[2] {gate}:devices   HASH    device → its tasks that have not ended, in their order
ARGV[1] device           its name
Reply: [1 or 0]
Errors: -1 "script outdated …"
Complexity: O(1)
Version: 1
]]
local head = redis.call('HMGET', KEYS[1], 'script_version', 'script_sha')
local old = outdated(head[1], head[2])
if old then return { '-1', '', '', old } end
return { redis.call('HEXISTS', KEYS[2] or KEYS[1] .. ':devices', ARGV[1] or '') == 1 and '1' or '0' }
