--[[ admission/has
Purpose: Reads whether a device has a task that has not ended, or whether tasks are still being loaded.
KEYS[1] {gate}           HASH    script_version, script_sha, loading
KEYS[2] {gate}:devices   HASH    device → its tasks that have not ended, in their order
ARGV[1] device           its name
Reply: [1, l or 0]; l = it has none, but not all tasks are loaded
Errors: -1 "script outdated …"
Complexity: O(1)
Version: 1
]]
local version, sha, loading = unpack(redis.call('HMGET', KEYS[1], 'script_version', 'script_sha', 'loading'))
local old = outdated(version, sha)
if old then return checks.refusal(old) end
if redis.call('HEXISTS', KEYS[1] .. ':devices', ARGV[1] or '') == 1 then return { '1' } end
return { loading and loading ~= '' and 'l' or '0' }
