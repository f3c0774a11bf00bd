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
local h = redis.call('HMGET', KEYS[1], 'seq', 'drained', 'log_limit', 'clock')
local now = now_us(h[4])
local seq = h[1]
for _ = 1, tonumber(ARGV[1]) do
  seq = append(KEYS[2], seq, h[2], h[3], now, 'word', ARGV[2], 'n', int((tonumber(seq) or 0) + 1))
end
redis.call('HSET', KEYS[1], 'seq', int(seq), 'clock', int(now))
return {int(seq)}
