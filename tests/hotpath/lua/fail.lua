--[[ hotpathtest/fail
Purpose: raises in the middle.
KEYS[1] {demo}  HASH  count
Reply: none
Errors: always
Complexity: O(1)
Version: 1
]]
redis.call('HINCRBY', KEYS[1], 'count', 1)
error('broken on purpose')
