--[[ admission/sweep
Purpose: Does a limited part of the work that has become due: ends of permits, waiting ones that no longer ask, ends of
  batches, a recovering gate's opening, the adaptive cap, and times in the future of a clock that was set back.
KEYS as admission/show
ARGV[1] batch            how many of each kind at most, 1 to 1 000
Reply: pairs: more opened expired silent closed cap now next; more = 1: call again at once; cap: the
  new one, "" = as it was; now and next in µs: nothing is due before next
Errors: -1 "no such gate", "script outdated …", "malformed …"
Complexity: O(batch × log n)
Full server: runs
Version: 1
]]
local MOST = 1000
local limit = whole(ARGV[1], 1, MOST)
if not limit then return checks.refusal('malformed batch') end
local refusal = gate.open(KEYS[1])
if refusal then return refusal end

if gate.behind then repair.put_back(limit) end
local expired = endings.expire(limit)
local silent = gate.conf.fair and line.forget_silent() or 0
local closed = 0
for _, batch in ipairs(batches.all()) do
  if closed < limit then closed = closed + batches.step(batch, limit - closed) end
end
local opened = recovery.is_over()
if opened then
  local status = settings.STATUS[gate.field('becomes') or 'o']
  recovery.finish(status, 'permits of the life before have ended')
end
local cap = adaptive.adapt()
local more = expired == limit or silent == line.SILENT_AT_ONCE or closed >= limit or gate.behind
gate.close()
return { 'more', more and '1' or '0', 'opened', opened and '1' or '0', 'expired', string.format('%d', expired),
  'silent', string.format('%d', silent), 'closed', string.format('%d', closed), 'cap', cap, 'now', gate.at,
  'next', string.format('%d', timing.next_us()) }
