--[[ admission/batch
Purpose: Registers a batch of tasks with its window, marks its tasks as loaded, pauses, resumes or cancels it, or
  changes the end of its window. admission/sweep closes what is cancelled or over.
KEYS as admission/show
ARGV[1] what             open loaded pause resume cancel extend
ARGV[2] batch            its number
ARGV[3] ends_us          open, extend: the end of its window
ARGV[4] reason           for the history
ARGV[5] opens_us         open: the begin of its window; devices are told that it is loading until it is loaded. Left
  out: now, and nothing is waited for
Reply: [1, "", "", reason]; reason "repeat" = it was so already
Errors: -1 "malformed …", "no such batch", "over", "too many batches", "no such gate", "script outdated …"
Complexity: O(1)
Version: 1
]]
local what, id, ends, reason, opens = ARGV[1] or '', ARGV[2] or '', ARGV[3] or '', ARGV[4] or '', ARGV[5] or ''
local EVENTS = { open = 'began', pause = 'held', resume = 'went on', cancel = 'cancelled', extend = 'extended' }
if not is_digits(id, checks.BATCH_DIGITS) then return checks.refusal('malformed batch') end
if (what == 'open' or what == 'extend') and not checks.is_token(ends) then return checks.refusal('malformed end') end
if opens ~= '' and (what ~= 'open' or not checks.is_token(opens)) then return checks.refusal('malformed begin') end
if not checks.is_reason(reason) then return checks.refusal('malformed reason') end
if not EVENTS[what] and what ~= 'loaded' then return checks.refusal('malformed what') end
local refusal = gate.open(KEYS[1])
if refusal then return refusal end

local REPEAT = { '1', '', '', 'repeat' }
local batch = batches.read(id)
local status = batch and batches.status_of(batch)
if what == 'open' then
  if batch then return REPEAT end
  if redis.call('HLEN', gate.tag .. ':batches') >= batches.MOST then return checks.refusal('too many batches') end
  batch = { id = id, status = 'open', ends = ends, opens = opens, closed = '', loading = opens ~= '' and 'w' or '' }
elseif not batch then
  return checks.refusal('no such batch')
elseif what == 'cancel' then
  if status == 'cancelled' then return REPEAT end
  if batch.closed ~= '' then return checks.refusal('over') end
  batch.status, batch.opens, batch.loading = 'cancelled', '', ''
elseif status == 'over' or status == 'cancelled' then
  return checks.refusal('over')
elseif what == 'pause' or what == 'resume' then
  local wanted = what == 'pause' and 'paused' or 'open'
  if batch.status == wanted then return REPEAT end
  batch.status = wanted
elseif what == 'loaded' then
  if batch.loading ~= 'w' then return REPEAT end
  batch.loading = 'l'
else
  if batch.ends == ends then return REPEAT end
  batch.ends = ends
end

batches.write(batch)
if batch.opens ~= '' or what == 'cancel' then batches.keep_loading() end
if EVENTS[what] then gate.log_of(EVENTS[what], id, reason, batch.ends) end
gate.close()
tell_timers(gate.tag)
return { '1', '', '', '' }
