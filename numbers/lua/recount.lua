--[[ numbers/recount
Purpose: Corrects the counters after a complete numbers/scan, if nothing has changed since it began.
KEYS as numbers/event
ARGV[1] seq                the sequence that every part of the scan returned
ARGV[2] up                 numbers that are up
ARGV[3] busy_down          numbers in a call and down
ARGV[4] quarantined        numbers in quarantine
ARGV[5] mend               1 = put them right
Reply: [1, "", "", reason], then what they were: up busy_down quarantined; reason "moved" = something happened
Errors: -1 "no such pool", "script outdated …", "malformed recount"
Complexity: O(1)
Version: 1
]]
local counted = { whole(ARGV[1], 0, math.huge), whole(ARGV[2], 0, math.huge), whole(ARGV[3], 0, math.huge),
  whole(ARGV[4], 0, math.huge) }
local seq, up, busy_down, quarantined = unpack(counted)
if not (seq and up and busy_down and quarantined) then return pool.refusal('malformed recount') end
local refusal = pool.open(KEYS[1])
if refusal then return refusal end
local were = redis.call('HMGET', pool.tag, 'aside', 'busy_down', 'quarantined', 'old')
-- Those who are up: in the idle set, aside of it, or in a call and not down.
local idle_up = redis.call('ZCARD', pool.tag .. ':idle:up')
local busy = redis.call('ZCARD', pool.tag .. ':timers') - waiting.count_all() - were[4]
local up_before = string.format('%d', idle_up + were[1] + busy - were[2])
if seq ~= pool.seq then return { '1', '', '', 'moved', up_before, were[2], were[3] } end
if ARGV[5] == '1' then
  redis.call('HSET', pool.tag, 'aside', string.format('%d', up - idle_up - busy + busy_down), 'busy_down', ARGV[3],
    'quarantined', ARGV[4])
end
pool.close()
return { '1', '', '', '', up_before, were[2], were[3] }
