--[[ admission/decr
Purpose: The seed's pair: ends the oldest anonymous permit, never a named holder's; the floor is 0.
KEYS[1] {gate}           HASH    as admission/acquire
KEYS[2] {gate}:permits   ZSET    as admission/acquire
KEYS[3] {gate}:log       STREAM  as admission/acquire
KEYS[4] {gate}:anon      ZSET    as admission/incr
Reply: [freed 0 or 1, permits in use]
Errors: -1 "no such gate", "script outdated …"
Complexity: O(log n)
Version: 1
]]
local call, sub, fmt = redis.call, string.sub, string.format
local GATE = KEYS[1]
local PERMITS, LOG = KEYS[2] or GATE .. ':permits', KEYS[3] or GATE .. ':log'
local ANON = KEYS[4] or GATE .. ':anon'
local head = call('HMGET', GATE, 'conf', 'seq', 'clock', 'released', 'script_version', 'hold', 'ghosts',
  'doubt')
local conf = head[1]
if not conf then return { '-1', '', '', 'no such gate' } end
if head[5] and head[5] - VERSION > 1 then
  return { '-1', '', '', outdated(head[5], call('HGET', GATE, 'script_sha')) }
end
local seq, last, doubt = head[2] + 0, head[3] + 0, head[8]
local first_seq, now = seq, now_us(last)
local at, hold, freed, expired = fmt('%d', now), head[6] + 0, 0, 0
--@include due
--@include keep_time
for _ = 1, 100 do -- those that have ended by themselves are no longer anybody's to give back
  local who = call('ZRANGE', ANON, 0, 0)[1]
  if not who then break end
  local held = call('HGET', GATE, '=' .. who)
  local live = sub(held, 17, 32) + 0 > due
  call('ZREM', ANON, who)
  call('ZREM', PERMITS, who)
  call('HDEL', GATE, '=' .. who)
  seq = seq + 1
  call('XADD', LOG, fmt('%d-0', seq), 'at', at, 'e', (live and 'released' or 'expired') .. '\t' .. who .. '\t'
    .. sub(held, 1, 16) .. '\t' .. sub(held, 17, 32) .. '\t\t\t\t\t')
  if live then
    freed = 1
    --@include learn
    break
  end
  expired = expired + 1
end
local used = call('ZCOUNT', PERMITS, '(' .. fmt('%d', due), '+inf')
if sub(conf, 1, 1) == 'r' then used = used + (head[7] or sub(conf, 6, 12)) end
if seq > first_seq then
  call('HSET', GATE, 'seq', fmt('%d', seq), 'clock', at, 'released', fmt('%d', head[4] + freed), 'hold', fmt('%d', hold))
  if expired > 0 then call('HINCRBY', GATE, 'expired', expired) end
end
--@include wake
return { fmt('%d', freed), fmt('%d', used) }
