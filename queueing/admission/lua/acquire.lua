--[[ admission/acquire
Purpose: A permit for a named holder, or its place in the line. The same holder asking again gets
  the permit that it has.
KEYS[1] {gate}           HASH    settings, generation, counters; "=<holder>" for each permit
KEYS[2] {gate}:permits   ZSET    holder by deadline, µs
KEYS[3] {gate}:log       STREAM  history
KEYS[4] {gate}:line      ZSET    who waits by the µs of the arrival
KEYS[5] {gate}:seen      ZSET    who waits by the µs of the last asking
KEYS[6] {gate}:starts    LIST    the last starts, newest first, when a rate is set
ARGV[1] holder           1 to 64 of letters, digits and . _ : - ; a letter or digit first
Reply: [1, token, deadline in µs, "" or "repeat", now in µs] or
  [0, place, estimate in s, full turn rate paused recovering, ask again in s]
Errors: -1 "malformed holder", "no such gate", "script outdated …"
Complexity: O(log n)
Version: 1
]]
local call, sub, find, fmt = redis.call, string.sub, string.find, string.format
local GATE, who = KEYS[1], ARGV[1] or ''
if #who > 64 or not find(who, '^%w[%w._:-]*$') then return { '-1', '', '', 'malformed holder' } end
local PERMITS, LOG = KEYS[2] or GATE .. ':permits', KEYS[3] or GATE .. ':log'
local name = '=' .. who
local head = call('HMGET', GATE, 'conf', 'seq', 'clock', 'generation', 'script_version', 'granted', 'line', name,
  'doubt')
local conf = head[1]
if not conf then return { '-1', '', '', 'no such gate' } end
if head[5] and head[5] - VERSION > 1 then
  return { '-1', '', '', outdated(head[5], call('HGET', GATE, 'script_sha')) }
end
local seq, last, doubt = head[2] + 0, head[3] + 0, head[9]
local first_seq, now, held = seq, now_us(last), head[8]
local at = fmt('%d', now)
--@include due
--@include keep_time
if held then
  if sub(held, 17, 32) + 0 > due then return { '1', sub(held, 1, 16), sub(held, 17, 32), 'repeat', at } end
  call('ZREM', PERMITS, who)
  call('HDEL', GATE, name)
  seq = seq + 1
  call('XADD', LOG, fmt('%d-0', seq), 'at', at, 'e',
    'expired\t' .. who .. '\t' .. sub(held, 1, 16) .. '\t' .. sub(held, 17, 32) .. '\t\t\t\t\t')
  call('HSET', GATE, 'seq', fmt('%d', seq), 'clock', at)
  call('HINCRBY', GATE, 'expired', 1)
end
local flags, used = sub(conf, 1, 3), call('ZCARD', PERMITS)
if used >= sub(conf, 6, 12) + 0 or (flags ~= 'o00' and (flags ~= 'o10' or head[7] ~= '0')) then
  local LINE, SEEN = KEYS[4] or GATE .. ':line', KEYS[5] or GATE .. ':seen'
  local STARTS = KEYS[6] or GATE .. ':starts'
  --@include turn
  used = call('ZCOUNT', PERMITS, '(' .. fmt('%d', due), '+inf')
  if sub(conf, 1, 1) == 'r' then used = used + (call('HGET', GATE, 'ghosts') or cap) end
  local reason, rank = turn(who, used)
  if reason then
    stand(who)
    count_line()
    call('HINCRBY', GATE, 'refused', 1)
    --@include wake
    local place, estimate, again = prospect(rank, reason)
    return { '0', place, estimate, reason, again }
  end
  leave(who)
  started()
  count_line()
end
seq = seq + 1
local token, deadline = fmt('%d', head[4] + seq), fmt('%d', now + sub(conf, 13, 18) * 1000000)
call('ZADD', PERMITS, deadline, who)
call('HSET', GATE, 'seq', fmt('%d', seq), 'clock', at, 'granted', fmt('%d', head[6] + 1), name, token .. deadline .. at)
call('XADD', LOG, fmt('%d-0', seq), 'at', at, 'e', 'granted\t' .. who .. '\t' .. token .. '\t' .. deadline .. '\t\t\t\t\t')
--@include wake
return { '1', token, deadline, '', at }
