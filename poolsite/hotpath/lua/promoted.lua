--[[ hotpath/promoted
Purpose: The first operation for an aggregate on a server that was a replica. Writes that its old primary had
  acknowledged may be missing, so the aggregate is closed until it has been rebuilt.
KEYS[1] {tag}          HASH    conf: its first column is the status, r = recovering
KEYS[2] {tag}:lineage  STRING  the promotion that this aggregate is known to have come through
ARGV[1] lineage            names the promotion
Reply: [1 = it was closed now, 0 = there is nothing to close]
Errors: none
Complexity: O(1)
Version: 1
]]
local call = redis.call
if call('GET', KEYS[2]) == ARGV[1] then return { '0' } end
local kind = call('TYPE', KEYS[1]).ok
local conf = kind == 'hash' and call('HGET', KEYS[1], 'conf')
if kind ~= 'none' and not conf then return { '0' } end
call('SET', KEYS[2], ARGV[1])
if not conf then return { '0' } end
call('HSET', KEYS[1], 'conf', 'r' .. string.sub(conf, 2))
return { '1' }
