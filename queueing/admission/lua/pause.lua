--[[ admission/pause
Purpose: Pauses or resumes a gate. Current permits are not affected.
KEYS as admission/show
ARGV[1] on               1 = pause, 0 = resume
ARGV[2] reason           for the history
Reply: [1, "", "", ""]; reason "repeat" = it was so already
Errors: -1 "no such gate", "script outdated …", "malformed …", "recovering" (admission/open opens it)
Complexity: O(1)
Version: 1
]]
local on, reason = ARGV[1] or '', ARGV[2] or ''
if not is_flag(on) then return checks.refusal('malformed on') end
if not checks.is_reason(reason) then return checks.refusal('malformed reason') end
local refusal = gate.open(KEYS[1])
if refusal then return refusal end

local status = on == '1' and 'paused' or 'open'
if gate.conf.status == 'recovering' then -- remembered for the time when it opens
  gate.set('becomes', settings.LETTER[status])
  gate.close()
  return checks.refusal('recovering')
end
if gate.conf.status == status then return { '1', '', '', 'repeat' } end
gate.set_conf(settings.with_status(gate.conf.text, status))
gate.log_of(on == '1' and 'paused' or 'resumed', '', reason)
gate.close()
return { '1', '', '', '' }
