--[[ hotpathtest/pair
Purpose: writes two keys of one aggregate, to be torn apart by a slot that moves.
KEYS[1] {demo}       HASH    count
KEYS[2] {demo}:a     STRING  left
KEYS[3] {demo}:b     STRING  right
ARGV[1] id           operation id
Reply: [left, right]
Errors: none
Complexity: O(1)
Version: 1
]]
if redis.call('HSETNX', KEYS[1], 'op:' .. ARGV[1], '1') == 1 then
  redis.call('INCR', KEYS[2])
  redis.call('INCR', KEYS[3])
end
return {redis.call('GET', KEYS[2]), redis.call('GET', KEYS[3])}
