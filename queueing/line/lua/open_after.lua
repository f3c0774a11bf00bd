--[[ line/open_after
Purpose: A recovering desk has its visits back: it opens by itself after a while, in which they beat again.
KEYS[1] {line.desk}           HASH    settings, generation, seq, skills, counters

KEYS[2] {line.desk}:queues    HASH    queue → settings

KEYS[3] {line.desk}:visits    HASH    visit → state

KEYS[4] {line.desk}:agents    HASH    agent → state

KEYS[5] {line.desk}:waiting   ZSET    everybody in a queue, in order

KEYS[6] {line.desk}:ready     ZSET    those of them who can be matched

KEYS[7] {line.desk}:free      ZSET    agents who can take a visitor, per queue

KEYS[8] {line.desk}:timers    ZSET    what time brings, by ms

KEYS[9] {line.desk}:log       STREAM  one entry per change

KEYS[10] {line.desk}:calls    ZSET    visits with a call back, by the ms at which it is looked at

ARGV[1] generation     the life that has its visits back
ARGV[2] after_ms       from now
Reply: [answer, seq]; answer: ok, repeat (it is open, or the time is set)
Errors: "no such desk", "script outdated …", "other generation" (of a worker that was held up), "malformed after"
Complexity: O(1)
Version: 1
]]
--@include open
local after = tonumber(ARGV[2])
if not after or after < 0 or after > 86400000 then return { 'malformed after' } end
if call('HGET', DESK, 'generation') ~= ARGV[1] then return { 'other generation' } end
if status ~= 'r' or call('HGET', DESK, 'opens_at') then return { 'repeat', int(seq) } end
call('HSET', DESK, 'opens_at', int(now_ms + after), 'opens_in', int(after))
redis.pcall('PUBLISH', 'timers:new', DESK)
return { 'ok', int(seq) }
