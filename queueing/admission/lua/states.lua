--[[ admission/states
Purpose: What Redis says of many tasks, to be compared with SQL.
KEYS[1] {gate}           HASH    script_version, script_sha
KEYS[2] {gate}:tasks     HASH    task → state, attempt, tokens, issued, batch, device, payload
ARGV[1+] tasks           their numbers; 1 000 at most
Reply: for each: its state p r d f x, or "" = not here
Errors: -1 "script outdated …", "malformed tasks"
Complexity: O(tasks)
Version: 1
]]
local head = redis.call('HMGET', KEYS[1], 'script_version', 'script_sha')
local old = outdated(head[1], head[2])
if old then return { '-1', '', '', old } end
if #ARGV == 0 or #ARGV > 1000 then return { '-1', '', '', 'malformed tasks' } end
local records = redis.call('HMGET', KEYS[2] or KEYS[1] .. ':tasks', unpack(ARGV))
local reply = {}
for i = 1, #ARGV do reply[i] = records[i] and string.sub(records[i], 1, 1) or '' end
return reply
