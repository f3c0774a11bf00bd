--[[ numbers/pause
Purpose: Pauses or resumes a pool. Running calls are not affected.
KEYS as numbers/event
ARGV[1] on                 1 = pause, 0 = resume
ARGV[2] reason             for the history
Reply: [1, "", "", ""]; reason "repeat" = it was so already
Errors: -1 "no such pool", "script outdated …", "recovering" (numbers/open opens it)
Complexity: O(log n)
Version: 1
]]
local on = ARGV[1] or ''
if not is_flag(on) then return pool.refusal('malformed on') end
local refusal = pool.open(KEYS[1])
if refusal then return refusal end
if pool.conf.status == 'recovering' then return pool.refusal('recovering') end
local status = on == '1' and 'paused' or 'open'
if pool.conf.status == status then return { '1', '', '', 'repeat' } end
pool.set_column('status', settings.LETTER[status])
pool.log_of_all(on == '1' and 'paused' or 'resumed', texts.reason(ARGV[2]))
if status == 'open' then waiting.serve() end
pool.close()
return { '1', '', '', '' }
