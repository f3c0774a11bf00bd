--[[ hotpath/state
Purpose: tells what life of an aggregate's data Redis holds and how far it got.
KEYS[1] {tag}  HASH  settings, generation, seq
Reply: [generation or '', seq of the last history entry]
Errors: none
Complexity: O(1)
Version: 1
]]
local found = redis.call('HMGET', KEYS[1], 'generation', 'seq')
return {found[1] or '', found[2] or '0'}
