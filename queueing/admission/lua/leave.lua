--[[ admission/leave
Purpose: A caller that was waiting for a permit has given up. Its turn ends, and so does a permit that was granted to it
  but never returned to it. What its holder has requested again since stays.
KEYS as admission/acquire
ARGV[1] holder           as admission/acquire
ARGV[2] token            of the permit that it was granted; "" = none
ARGV[3] at               µs of its last refusal; "" = none
Reply: [1, "", "", ""] or [0, "", "", ""], when nothing was left of it
Errors: -1 "malformed …", "no such gate", "script outdated …"
Complexity: O(log n)
Full server: runs
Version: 1
]]
local holder, token, at = ARGV[1] or '', ARGV[2] or '', ARGV[3] or ''
local malformed = holders.malformed_leave(holder, token, at)
if malformed then return checks.refusal(malformed) end
local refusal, record = gate.open(KEYS[1], '=' .. holder)
if refusal then return refusal end
local reply = holders.leave(holder, record, token, at)
gate.close()
return reply
