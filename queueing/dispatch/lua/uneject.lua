--[[ dispatch/uneject
Purpose: An operator ends the ejection of an instance. It may get sessions again.
KEYS as dispatch/start
ARGV[1] name           of the instance
ARGV[2] reason         200 characters at most
Reply: [1, ""] or [1, "repeat"]: it is not ejected
Errors: [-1, reason]: "no such group", "script outdated …", "malformed reason", "no such name"
Complexity: O(log n)
Version: 1
]]
local refusal = group.open(KEYS[1])
if refusal then return refusal end
local reason = ARGV[2] or ''
if not checks.is_reason(reason) then return checks.refusal('malformed reason') end
local name = names.of(ARGV[1] or '')
if not name then return checks.refusal('no such name') end
local its = health.of(name.name)
if its.ejected_at == '' then return { '1', 'repeat' } end

health.restore(its, reason)
group.close()
return { '1', '' }
