--[[ admission/incr
Purpose: The seed's pair, for callers that know no holder: an anonymous permit of its own time.
KEYS[1] {gate}           HASH    as admission/acquire
KEYS[2] {gate}:permits   ZSET    as admission/acquire
KEYS[3] {gate}:log       STREAM  as admission/acquire
KEYS[4] {gate}:anon      ZSET    anonymous permits by the order of their granting
KEYS[5] {gate}:starts    LIST    as admission/acquire
ARGV[1] limit            the seed's: no more than this many; left out, or over the cap: the cap
Reply: [granted 0 or 1, permits in use]
Errors: -1 "malformed limit", "no such gate", "script outdated …"
Complexity: O(log n)
Version: 1
]]
local call, sub, find, fmt = redis.call, string.sub, string.find, string.format
local GATE, limit = KEYS[1], ARGV[1] or ''
if not find(limit, '^%d*$') or #limit > 7 then return { '-1', '', '', 'malformed limit' } end
local PERMITS, LOG = KEYS[2] or GATE .. ':permits', KEYS[3] or GATE .. ':log'
local head = call('HMGET', GATE, 'conf', 'seq', 'clock', 'generation', 'script_version', 'granted', 'ghosts',
  'doubt')
local conf = head[1]
if not conf then return { '-1', '', '', 'no such gate' } end
if head[5] and head[5] - VERSION > 1 then
  return { '-1', '', '', outdated(head[5], call('HGET', GATE, 'script_sha')) }
end
local seq, last, doubt = head[2] + 0, head[3] + 0, head[8]
local first_seq, now = seq, now_us(last)
local at, status, cap = fmt('%d', now), sub(conf, 1, 1), sub(conf, 6, 12) + 0
local most = limit ~= '' and math.min(cap, limit + 0) or cap
--@include due
--@include keep_time
local used = call('ZCOUNT', PERMITS, '(' .. fmt('%d', due), '+inf')
if status == 'r' then used = used + (head[7] or cap) end
local refused = status == 'p' or used >= most
local rate = not refused and sub(conf, 3, 3) == '1' and sub(conf, 42, 46) + 0
if rate then
  local start = call('LINDEX', KEYS[5] or GATE .. ':starts', rate - 1)
  refused = start and start + 1000000 > now
end
if refused then
  call('HINCRBY', GATE, 'refused', 1)
  return { '0', fmt('%d', used) }
end
if rate then
  call('LPUSH', KEYS[5] or GATE .. ':starts', at)
  call('LTRIM', KEYS[5] or GATE .. ':starts', 0, rate - 1)
end
seq = seq + 1
local token, deadline = fmt('%d', head[4] + seq), fmt('%d', now + sub(conf, 13, 18) * 1000000)
local who = '#' .. token
call('ZADD', PERMITS, deadline, who)
call('ZADD', KEYS[4] or GATE .. ':anon', token, who)
call('HSET', GATE, 'seq', fmt('%d', seq), 'clock', at, 'granted', fmt('%d', head[6] + 1), '=' .. who,
  token .. deadline .. at)
call('XADD', LOG, fmt('%d-0', seq), 'at', at, 'e', 'granted\t' .. who .. '\t' .. token .. '\t' .. deadline .. '\t\t\t\t\t')
--@include wake
return { '1', fmt('%d', used + 1) }
