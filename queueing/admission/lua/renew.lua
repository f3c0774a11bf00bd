--[[ admission/renew
Purpose: A named holder goes on: its permit's deadline moves, up to the longest time since it was
  granted. After a loss of Redis, a permit of the life before comes back by this.
KEYS[1] {gate}           HASH    as admission/acquire
KEYS[2] {gate}:permits   ZSET    as admission/acquire
KEYS[3] {gate}:log       STREAM  as admission/acquire
ARGV[1] holder           as admission/acquire
ARGV[2] token            of the permit
Reply: [1, token, deadline in µs, "" | adopted, now in µs] or [0, "", "", not held | other token | late]
Errors: -1 "malformed …", "no such gate", "script outdated …"
Complexity: O(log n)
Version: 1
]]
local call, sub, find, fmt = redis.call, string.sub, string.find, string.format
local GATE, who, token = KEYS[1], ARGV[1] or '', ARGV[2] or ''
if #who > 64 or not find(who, '^%w[%w._:-]*$') then return { '-1', '', '', 'malformed holder' } end
if not find(token, '^%d+$') or #token ~= 16 then return { '-1', '', '', 'malformed token' } end
local PERMITS, LOG = KEYS[2] or GATE .. ':permits', KEYS[3] or GATE .. ':log'
local name = '=' .. who
local head = call('HMGET', GATE, 'conf', 'seq', 'clock', 'generation', 'script_version', 'ghosts', name,
  'doubt')
local conf, held = head[1], head[7]
if not conf then return { '-1', '', '', 'no such gate' } end
if head[5] and head[5] - VERSION > 1 then
  return { '-1', '', '', outdated(head[5], call('HGET', GATE, 'script_sha')) }
end
local seq, last, doubt = head[2] + 0, head[3] + 0, head[8]
local first_seq, now = seq, now_us(last)
local at = fmt('%d', now)
--@include due
--@include keep_time
local event, granted = 'renewed', at
if held then
  if sub(held, 1, 16) ~= token then return { '0', '', '', 'other token' } end
  if sub(held, 17, 32) + 0 <= due then return { '0', '', '', 'late' } end
  granted = sub(held, 33, 48)
else
  local ghosts = sub(conf, 1, 1) == 'r' and (head[6] or sub(conf, 6, 12)) + 0 or 0
  if ghosts < 1 or token + 0 >= head[4] + 0 then return { '0', '', '', 'not held' } end
  event = 'adopted'
  call('HSET', GATE, 'ghosts', fmt('%d', ghosts - 1))
end
local deadline = math.min(now + sub(conf, 13, 18) * 1000000, granted + sub(conf, 24, 30) * 1000000)
if held then deadline = math.max(deadline, sub(held, 17, 32) + 0) end
local text = fmt('%d', deadline)
seq = seq + 1
call('ZADD', PERMITS, text, who)
call('HSET', GATE, 'seq', fmt('%d', seq), 'clock', at, name, token .. text .. granted)
call('XADD', LOG, fmt('%d-0', seq), 'at', at, 'e', event .. '\t' .. who .. '\t' .. token .. '\t' .. text .. '\t\t\t\t\t')
--@include wake
return { '1', token, text, event == 'adopted' and 'adopted' or '', at }
