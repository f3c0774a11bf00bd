--[[ admission/resize
Purpose: Changes the cap at once. If it is lower, no one is let in before enough permits have ended.
KEYS as admission/show
ARGV[1] cap              1 to 1 000 000
ARGV[2] adaptive         1 = the adaptive cap continues from here, 0 = it is fixed
ARGV[3] reason           for the history
Reply: [1, the cap before, permits in use, ""]; reason "repeat" = it was so already
Errors: -1 "malformed …", "no such gate", "script outdated …"
Complexity: O(log n)
Version: 1
]]
local wanted, adaptive_flag, reason = ARGV[1] or '', ARGV[2] or '', ARGV[3] or ''
local cap = string.find(wanted, '^[1-9]%d*$') and whole(wanted, 1, settings.MOST_CAP)
if not cap then return checks.refusal('malformed cap') end
if not is_flag(adaptive_flag) then return checks.refusal('malformed adaptive') end
if not checks.is_reason(reason) then return checks.refusal('malformed reason') end
local refusal = gate.open(KEYS[1])
if refusal then return refusal end

local before = gate.conf
local text = settings.with_cap(before.text, cap, adaptive_flag == '1')
local used = string.format('%d', permits.used())
if text == before.text then return { '1', string.format('%d', before.cap), used, 'repeat' } end
gate.set_conf(text)
gate.log_of('resized', '', reason, string.format('%d %d', before.cap, cap))
gate.close()
tell_timers(gate.tag)
return { '1', string.format('%d', before.cap), used, '' }
