--[[ hotpath/state
Purpose: Reads which generation of an aggregate's data Redis has, and its last sequence number.
KEYS[1] {tag}  HASH  settings, generation, seq
Reply: [generation or '', seq of the last history entry]
Errors: none
Complexity: O(1)
Version: 1
]]
local found = redis.call('HMGET', KEYS[1], 'generation', 'seq')
return {found[1] or '', found[2] or '0'}
