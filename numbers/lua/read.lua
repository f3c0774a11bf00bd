--[[ numbers/read
Purpose: The states of numbers, with what stands beside them, at one moment.
KEYS[1] {pool}                HASH    as numbers/event
KEYS[2] {pool}:numstate       HASH    as numbers/event
KEYS[3] {pool}:idle:up        ZSET    as numbers/event
KEYS[4] {pool}:idle:near      ZSET    as numbers/event
KEYS[5] {pool}:timers         ZSET    as numbers/event
KEYS[6] {pool}:log            STREAM  as numbers/event
KEYS[7] {pool}:registrations  ZSET    as numbers/event
ARGV[1+] numbers            at most 10 000
Reply: [as_of, conf, seq], then for each number [state as JSON or "", lease's end in ms or "", region's name or ""]
Errors: -1 "no such pool", "script outdated …"
Complexity: O(numbers)
Version: 1
]]
--@include open
--@include machinery
local slow = machinery(now, at)
slow.sync(seq, conf)
local reply = { at, conf, fmt('%d', seq) }
for i = 1, #ARGV, 1000 do
  local last = math.min(i + 999, #ARGV)
  local states = call('HMGET', NUMSTATE, unpack(ARGV, i, last))
  local leases = call('ZMSCORE', TIMERS, unpack(ARGV, i, last))
  for k = 1, last - i + 1 do
    local region = states[k] and match(states[k], ',"region":(%d%d%d%d)')
    reply[#reply + 1] = states[k] or ''
    reply[#reply + 1] = leases[k] and fmt('%d', leases[k] % BAND) or ''
    reply[#reply + 1] = region and call('HGET', POOL, 'G:' .. region) or ''
  end
end
return reply
