--[[ admission/look
Purpose: A part of a gate's holders or of its line, for pages.
KEYS[1] {gate}           HASH    settings, generation, counters; "=<holder>" for each permit
KEYS[2] {gate}:permits   ZSET    holder by deadline, µs
KEYS[3] {gate}:anon      ZSET    anonymous permits by the order of their granting
KEYS[4] {gate}:line      ZSET    who waits by the µs of the arrival
KEYS[5] {gate}:seen      ZSET    who waits by the µs of the last asking
KEYS[6] {gate}:starts    LIST    the last starts, newest first, when a rate is set
KEYS[7] {gate}:tasks     HASH    task → state, attempt, tokens, issued, batch, device, payload
KEYS[8] {gate}:devices   HASH    device → its tasks that have not ended, in their order
KEYS[9] {gate}:work      ZSET    task by batch × 8 + state
KEYS[10] {gate}:batches  HASH    batch → status, end of its window, µs, when it was closed
KEYS[11] {gate}:log      STREAM  history
ARGV[1] what             holders (soonest deadline first), line (first in the line first), one
ARGV[2] offset           from 0; one: the holder or who waits
ARGV[3] count            1 to 1 000
Reply: as_of, total, then for holders: holder, token, deadline, granted, task; for the line: who,
  arrived, last asked; one: the holder's five words or none
Errors: -1 "malformed …", "no such gate", "script outdated …"
Complexity: O(log n + count)
Version: 1
]]
--@include head
local what, count = ARGV[1], tonumber(ARGV[3])
if not count or count < 1 or count > 1000 or count % 1 ~= 0 then return { '-1', '', '', 'malformed count' } end
--@include machinery
local reply = { at, '' }
local function tell(who)
  local held = call('HGET', GATE, '=' .. who)
  if held then
    for _, word in ipairs({ who, sub(held, 1, 16), sub(held, 17, 32), sub(held, 33, 48), task_of(held) or '' }) do
      reply[#reply + 1] = word
    end
  end
end
if what == 'one' then
  reply[2] = '1'
  tell(ARGV[2] or '')
  return reply
end
local offset = tonumber(ARGV[2])
if not offset or offset < 0 or offset % 1 ~= 0 then return { '-1', '', '', 'malformed offset' } end
local source = what == 'holders' and PERMITS or what == 'line' and LINE
if not source then return { '-1', '', '', 'malformed what' } end
reply[2] = fmt('%d', call('ZCARD', source))
for _, who in ipairs(call('ZRANGE', source, offset, offset + count - 1)) do
  if what == 'holders' then
    tell(who)
  else
    reply[#reply + 1] = who
    reply[#reply + 1] = fmt('%d', call('ZSCORE', LINE, who))
    reply[#reply + 1] = fmt('%d', call('ZSCORE', SEEN, who) or 0)
  end
end
return reply
