--[[ admission/renew
Purpose: Extends the permit of a named holder, up to the longest duration since it was granted. After a loss of Redis,
  this restores a permit of the earlier generation.
KEYS as admission/acquire
ARGV[1] holder           as admission/acquire
ARGV[2] token            of the permit
ARGV[3] weight           of the permit, which Redis may have lost; left out: 1
Reply: [1, token, deadline in µs, "" | adopted, now in µs, weight, "" = 1] or [0, "", "", not held | other token | late]
Errors: -1 "malformed …", "no such gate", "script outdated …"
Complexity: O(log n)
Full server: runs
Version: 1
]]
local holder, token, weight = ARGV[1] or '', ARGV[2] or '', ARGV[3] or ''
local malformed = holders.malformed_renew(holder, token, weight)
if malformed then return checks.refusal(malformed) end
local refusal, record = gate.open(KEYS[1], '=' .. holder)
if refusal then return refusal end
local reply = holders.renew(holder, record, token, weight)
gate.close()
return reply
