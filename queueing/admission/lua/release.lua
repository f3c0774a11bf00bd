--[[ admission/release
Purpose: The holder gives its own permit back, once; anything else changes nothing.
KEYS[1] {gate}           HASH    as admission/acquire
KEYS[2] {gate}:permits   ZSET    as admission/acquire
KEYS[3] {gate}:log       STREAM  as admission/acquire
ARGV[1] holder           as admission/acquire
ARGV[2] token            of the permit
ARGV[3] ok               1 = what it was for went well, 0 = it failed; left out: not told
ARGV[4] took_ms          how long the external system took; left out: not told
Reply: [1, "", "", ""] or [0, "", "", not held | other token | late]; late = after the deadline,
  nobody has swept it yet
Errors: -1 "malformed …", "no such gate", "script outdated …"
Complexity: O(log n)
Version: 1
]]
local call, sub, find, fmt = redis.call, string.sub, string.find, string.format
local GATE, who, token = KEYS[1], ARGV[1] or '', ARGV[2] or ''
if #who > 64 or not find(who, '^%w[%w._:-]*$') then return { '-1', '', '', 'malformed holder' } end
if not find(token, '^%d+$') then return { '-1', '', '', 'malformed token' } end
local ok, took = ARGV[3] or '', ARGV[4] or ''
if (ok ~= '' and ok ~= '0' and ok ~= '1') or not find(took, '^%d*$') or #took > 9 then
  return { '-1', '', '', 'malformed outcome' }
end
local PERMITS, LOG = KEYS[2] or GATE .. ':permits', KEYS[3] or GATE .. ':log'
local name = '=' .. who
local head = call('HMGET', GATE, 'conf', 'seq', 'clock', 'released', 'script_version', 'hold', name, 'doubt')
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
if not held then return { '0', '', '', 'not held' } end
if sub(held, 1, 16) ~= token then return { '0', '', '', 'other token' } end
if sub(held, 17, 32) + 0 <= due then
  call('HINCRBY', GATE, 'overrun', 1)
  return { '0', '', '', 'late' }
end
call('ZREM', PERMITS, who)
call('HDEL', GATE, name)
seq = seq + 1
local hold = head[6] + 0
--@include learn
call('HSET', GATE, 'seq', fmt('%d', seq), 'clock', at, 'released', fmt('%d', head[4] + 1), 'hold', fmt('%d', hold))
call('XADD', LOG, fmt('%d-0', seq), 'at', at, 'e', 'released\t' .. who .. '\t' .. token .. '\t'
  .. sub(held, 17, 32) .. '\t\t\t\t' .. (ok == '0' and 'failed' or '') .. '\t')
if sub(conf, 4, 4) == '1' and ok ~= '' then
  call('HINCRBY', GATE, ok == '1' and 'win_ok' or 'win_bad', 1)
  if took ~= '' then
    call('HINCRBY', GATE, 'win_took', took)
    call('HINCRBY', GATE, 'win_timed', 1)
  end
end
--@include wake
return { '1', '', '', '' }
