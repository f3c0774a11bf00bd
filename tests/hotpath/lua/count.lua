--[[ hotpathtest/count
Purpose: counts each execution, so that a test sees how often a script really ran, and logs it.
KEYS[1] {demo}      HASH    count, order, seq, clock
KEYS[2] {demo}:log  STREAM  history
ARGV[1] label       noted in the order of execution
ARGV[2] id          operation id, or "" for none
Reply: [count, label, time in µs]
Errors: -1 "script outdated …"
Complexity: O(1)
Version: 1
]]
local held = redis.call('HMGET', KEYS[1], 'script_version', 'script_sha', 'clock', 'seq',
  'log_limit', 'done:' .. ARGV[2])
local reason = outdated(held[1], held[2])
if reason then return {'-1', reason, ''} end
local now = now_us(held[3])
if ARGV[2] ~= '' and held[6] then return {held[6], ARGV[1], int(now)} end
local count = redis.call('HINCRBY', KEYS[1], 'count', 1)
local seq = (tonumber(held[4]) or 0) + 1
redis.call('XADD', KEYS[2] or KEYS[1] .. ':log', int(seq) .. '-0', 'at', int(now), 'label', ARGV[1])
trim_log(KEYS[1], seq, -1, tonumber(held[5]) or 1000000)
redis.call('HSET', KEYS[1], 'seq', seq, 'clock', now)
if ARGV[2] ~= '' then redis.call('HSET', KEYS[1], 'done:' .. ARGV[2], count) end
return {int(count), ARGV[1], int(now)}
