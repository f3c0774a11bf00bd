--[[ admission/open
Purpose: Opens a recovering gate: at once for an operator, or when all its tasks are loaded.
KEYS as admission/show
ARGV[1] how              now = an operator opens early; loaded = every task is there, time opens it
ARGV[2] reason           for the history
ARGV[3] status           o open, p paused: what it becomes
Reply: [1, "", "", reason]; reason "waiting" = permits of the life before may live, "repeat" = it was open
Errors: -1 "no such gate", "script outdated …", "malformed …"
Complexity: O(1)
Version: 1
]]
local how, reason, becomes = ARGV[1], ARGV[2] or '', ARGV[3] or 'o'
local status = becomes ~= 'r' and settings.STATUS[becomes]
if (how ~= 'now' and how ~= 'loaded') or not status then return checks.refusal('malformed') end
if not checks.is_reason(reason) then return checks.refusal('malformed reason') end
local refusal = gate.open(KEYS[1])
if refusal then return refusal end

if gate.conf.status ~= 'recovering' then return { '1', '', '', 'repeat' } end
gate.set('loaded', '1')
gate.set('becomes', becomes)
if how == 'now' then recovery.finish(status, reason) end
gate.close()
tell_timers(gate.tag)
return { '1', '', '', how == 'loaded' and 'waiting' or '' }
