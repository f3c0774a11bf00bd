--[[ numbers/alias
Purpose: Says under which spelling numbers are stored whose canonical form is another one, so that events may name them
  by it. Numbers need not be there yet; what a number that is gone leaves here is forgotten by the sweep.
KEYS[1] {pool}  HASH  as numbers/event
ARGV[1+] pairs              canonical form, stored spelling ("" = none any more), canonical form, …; at most 1 000 pairs
Reply: [1, pairs that are new or changed, "", ""]
Errors: -1 "no such pool", "script outdated …", "malformed pairs"
Complexity: O(pairs)
Version: 1
]]
local call, find = redis.call, string.find
local POOL = KEYS[1]
local pool = call('HMGET', POOL, 'conf', 'script_version', 'script_sha')
if not pool[1] then return { '-1', '', '', 'no such pool' } end
local old = outdated(pool[2], pool[3])
if old then return { '-1', '', '', old } end
if #ARGV % 2 ~= 0 or #ARGV < 2 or #ARGV > 2000 then return { '-1', '', '', 'malformed pairs' } end
for i = 1, #ARGV do
  local none = i % 2 == 0 and ARGV[i] == ''
  if not none and not find(ARGV[i], '^%+?%d+$') or #ARGV[i] > 33 then return { '-1', ARGV[i], '', 'malformed pairs' } end
end
local names = {}
for i = 1, #ARGV, 2 do names[#names + 1] = 'a:' .. ARGV[i] end
local there = call('HMGET', POOL, unpack(names))
local changed = 0
for i, name in ipairs(names) do
  local stored = ARGV[2 * i]
  if (there[i] or '') ~= stored then
    if stored == '' then call('HDEL', POOL, name) else call('HSET', POOL, name, stored) end
    changed = changed + 1
  end
end
return { '1', int(changed), '', '' }
