--[[ dispatch/offer
Purpose: Creates an ID that no peer of the group has had. A back-end is offered it when it connects.
KEYS as dispatch/start
Reply: [1, id]
Errors: [-1, reason]: "no such group", "script outdated …"
Complexity: O(1)
Version: 1
]]
local refusal = group.open(KEYS[1])
if refusal then return refusal end
-- The count begins anew when the group's data is lost; the time, in µs, does not.
local offered = redis.call('HINCRBY', group.tag, 'offered', 1)
return { '1', string.format('b%x-%d', group.now, offered) }
