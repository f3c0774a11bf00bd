--[[ line/create
Purpose: Begin a desk's data, or a new life of it after a loss; the same generation again changes nothing.
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
ARGV[1] generation     the life of the data; a larger one removes what is there
ARGV[2] status         o open, r recovering
ARGV[3] script_sha     SHA-1 of line/join
ARGV[4] log_limit      largest backlog
Reply: [answer]; answer: ok, exists
Errors: "other generation" (a later one is there), "malformed …"
Complexity: O(n) when an older life is removed (unlinked in the background)
Version: 1
]]
local call = redis.call
local generation = ARGV[1]
if not string.find(generation or '', '^%d+$') then return { 'malformed generation' } end
if ARGV[2] ~= 'o' and ARGV[2] ~= 'r' then return { 'malformed status' } end
local there = call('HMGET', KEYS[1], 'generation', 'clock')
if there[1] == generation then return { 'exists' } end
if there[1] and there[1] + 0 > generation + 0 then return { 'other generation' } end
local suffixes = { '', ':queues', ':visits', ':agents', ':waiting', ':ready', ':free', ':timers', ':log', ':calls' }
for i = 1, #suffixes do call('UNLINK', KEYS[i] or KEYS[1] .. suffixes[i]) end
local now = now_us(there[2])
call('HSET', KEYS[1], 'generation', generation, 'conf', ARGV[2], 'script_version', VERSION, 'script_sha', ARGV[3] or '',
  'log_limit', ARGV[4] or '1000000', 'clock', int(now), 'drained', 0)
local seq = append(KEYS[9] or KEYS[1] .. ':log', 0, 0, ARGV[4], now, 'k', 'created', 'w', ARGV[2] == 'r' and 'recovering' or 'open')
call('HSET', KEYS[1], 'seq', int(seq))
redis.pcall('PUBLISH', 'timers:new', KEYS[1])
return { 'ok' }
