--[[ admission/free
Purpose: Ends a permit early on behalf of an operator. A device's task goes back as if the permit had expired.
KEYS as admission/show
ARGV[1] holder           as the gate names it: a name, @device, #token
ARGV[2] token            of the permit that was shown
ARGV[3] reason           for the history
Reply: [1, token, task, ""] or [0, "", "", not held | other token]
Errors: -1 "malformed …", "no such gate", "script outdated …"
Complexity: O(log n)
Full server: runs
Version: 1
]]
local holder, token, reason = ARGV[1] or '', ARGV[2] or '', ARGV[3] or ''
if not checks.is_holder(string.match(holder, '^[#@]?(.*)$')) or #holder > checks.NAME_BYTES then
  return checks.refusal('malformed holder')
end
if not is_digits(token, checks.TOKEN_DIGITS) then return checks.refusal('malformed token') end
if not checks.is_reason(reason) then return checks.refusal('malformed reason') end
local refusal, record = gate.open(KEYS[1], '=' .. holder)
if refusal then return refusal end

local permit = permits.parse(record)
if not permit then return holders.refused('not held') end
if permit.token ~= token then return holders.refused('other token') end
endings.finish(holder, permit, 'freed', reason)
gate.close()
return { '1', token, permit.task or '', '' }
