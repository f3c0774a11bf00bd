--[[ admission/decr
Purpose: One of the original two operations: ends the oldest anonymous permit, never that of a named holder. The lowest
  value is 0.
KEYS as admission/show
Reply: [freed 0 or 1, permits in use]
Errors: -1 "no such gate", "script outdated …"
Complexity: O(log n)
Full server: runs
Version: 1
]]
local MOST_AT_ONCE = 100
local refusal = gate.open(KEYS[1])
if refusal then return refusal end

local freed = 0
for _ = 1, MOST_AT_ONCE do -- those that are over are no longer anybody's to give back
  local holder = redis.call('ZRANGE', gate.tag .. ':anon', 0, 0)[1]
  if not holder or freed > 0 then break end
  local permit = permits.of(holder)
  if permits.is_over(permit) then
    endings.finish(holder, permit, 'expired')
  else
    permits.drop_anonymous(holder, permit)
    permits.learn(permit)
    permits.log('released', holder, permit, '')
    gate.released, freed = gate.released + 1, 1
  end
end
gate.close()
return { string.format('%d', freed), string.format('%d', permits.used()) }
