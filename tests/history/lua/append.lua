--[[ historytest/append
Purpose: Append entries to a test aggregate, as an app's own scripts do.
KEYS[1] {aggregate}       HASH    generation, seq, drained, log_limit
KEYS[2] {aggregate}:log   STREAM  one entry per change
ARGV[1] count             entries to append
ARGV[2] word              kept in each entry
Reply: [seq]
Errors: none
Complexity: O(count)
Version: 1
]]
local held = redis.call('HMGET', KEYS[1], 'seq', 'log_limit', 'clock')
local seq, room, now = tonumber(held[1]) or 0, tonumber(held[2]) or 1000000, now_us(held[3])
for _ = 1, tonumber(ARGV[1]) do
  seq = seq + 1
  redis.call('XADD', KEYS[2], int(seq) .. '-0', 'at', int(now), 'word', ARGV[2], 'n', int(seq))
  trim_log(KEYS[1], seq, -1, room)
end
redis.call('HSET', KEYS[1], 'seq', int(seq), 'clock', int(now))
return {int(seq)}
