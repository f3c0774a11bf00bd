--[[ admission/incr
Purpose: One of the original two operations, for callers without a holder's name: grants an anonymous permit, which
  expires like any other.
KEYS as admission/show
ARGV[1] limit            the seed's: no more than this many; left out, or over the cap: the cap
Reply: [granted 0 or 1, permits in use]
Errors: -1 "malformed limit", "no such gate", "script outdated …"
Complexity: O(log n)
Version: 1
]]
local limit = ARGV[1] or ''
if not checks.is_number_or_none(limit, checks.CAP_DIGITS) then return checks.refusal('malformed limit') end
local refusal = gate.open(KEYS[1])
if refusal then return refusal end

local used, most = permits.used(), gate.conf.cap
if limit ~= '' then most = math.min(most, limit + 0) end
if gate.conf.status == 'paused' or used >= most or line.is_too_soon(1) then
  gate.count('refused')
  gate.close()
  return { '0', string.format('%d', used) }
end
line.started(1)
local holder = '#' .. permits.next_token()
local permit = permits.grant(holder)
redis.call('ZADD', gate.tag .. ':anon', permit.token, holder)
permits.log('granted', holder, permit, '')
gate.close()
return { '1', string.format('%d', used + 1) }
