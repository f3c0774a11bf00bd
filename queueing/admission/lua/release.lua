--[[ admission/release
Purpose: The holder returns its own permit, once. Any other request changes nothing.
KEYS as admission/acquire
ARGV[1] holder           as admission/acquire
ARGV[2] token            of the permit
ARGV[3] ok               1 = success, 0 = failure; left out if unknown
ARGV[4] took_ms          how long the external system took; left out if unknown
Reply: [1, "", "", ""] or [0, "", "", not held | other token | late]; late = after the deadline,
  it has not been swept yet
Errors: -1 "malformed …", "no such gate", "script outdated …"
Complexity: O(log n)
Full server: runs
Version: 1
]]
local holder, token, ok, took_ms = ARGV[1] or '', ARGV[2] or '', ARGV[3] or '', ARGV[4] or ''
local malformed = holders.malformed_release(holder, token, ok, took_ms)
if malformed then return checks.refusal(malformed) end
local refusal, record = gate.open(KEYS[1], '=' .. holder)
if refusal then return refusal end
local reply = holders.release(holder, record, token, ok, took_ms)
gate.close()
return reply
