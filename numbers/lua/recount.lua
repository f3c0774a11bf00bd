--[[ numbers/recount
Purpose: Puts the counters right after a whole numbers/scan, if nothing has happened since it began.
KEYS[1] {pool}                HASH    as numbers/event
KEYS[2] {pool}:numstate       HASH    as numbers/event
KEYS[3] {pool}:idle:up        ZSET    as numbers/event
KEYS[4] {pool}:idle:near      ZSET    as numbers/event
KEYS[5] {pool}:timers         ZSET    as numbers/event
KEYS[6] {pool}:log            STREAM  as numbers/event
KEYS[7] {pool}:registrations  ZSET    as numbers/event
ARGV[1] seq                the sequence that every part of the scan told
ARGV[2] up                 numbers that are up
ARGV[3] busy_down          numbers in a call and down
ARGV[4] quarantined        numbers in quarantine
ARGV[5] mend               1 = put them right
Reply: [1, "", "", reason], then what they were: up busy_down quarantined; reason "moved" = something happened
Errors: -1 "no such pool", "script outdated …", "malformed recount"
Complexity: O(1)
Version: 1
]]
--@include open
--@include machinery
local slow = machinery(now, at)
slow.sync(seq, conf)
for i = 1, 4 do
  if not find(ARGV[i] or '', '^%d+$') then return { '-1', '', '', 'malformed recount' } end
end
local were = call('HMGET', POOL, 'aside', 'busy_down', 'quarantined', 'old')
-- Those who are up: in the idle set, aside of it, or in a call and not down.
local idle = call('ZCARD', IDLE)
local busy = call('ZCARD', TIMERS) - call('ZCOUNT', TIMERS, BAND, '(' .. slow.us(3 * BAND)) - were[4]
local up = idle + were[1] + busy - were[2]
if ARGV[1] + 0 ~= seq then return { '1', '', '', 'moved', slow.us(up), were[2], were[3] } end
if ARGV[5] == '1' then
  call('HSET', POOL, 'aside', slow.us(ARGV[2] - idle - busy + ARGV[3]), 'busy_down', ARGV[3], 'quarantined', ARGV[4])
end
seq, conf = slow.synced()
--@include close
return { '1', '', '', '', slow.us(up), were[2], were[3] }
