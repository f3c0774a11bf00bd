--[[ admission/states
Purpose: Reads the states of many tasks, to be compared with SQL.
KEYS[1] {gate}           HASH    script_version, script_sha
KEYS[2] {gate}:tasks     HASH    task → state, attempt, tokens, issued, batch, device, payload
ARGV[1+] tasks           their numbers; 1 000 at most
Reply: for each: its state p r d f x, or "" = not here
Errors: -1 "script outdated …", "malformed tasks"
Complexity: O(tasks)
Version: 1
]]
local MOST = 1000
local version, sha = unpack(redis.call('HMGET', KEYS[1], 'script_version', 'script_sha'))
local old = outdated(version, sha)
if old then return checks.refusal(old) end
if #ARGV == 0 or #ARGV > MOST then return checks.refusal('malformed tasks') end
local records, reply = redis.call('HMGET', KEYS[1] .. ':tasks', unpack(ARGV)), {}
for place, record in ipairs(records) do reply[place] = record and string.match(record, '^%a') or '' end
return reply
