--[[ hotpathtest/prelude_probe
Purpose: calls each function of the prelude and shows what it answers.
KEYS[1] {demo}      HASH    as the script's caller left it
KEYS[2] {demo}:log  STREAM  history
ARGV[1] what        one of now int outdated remember append
ARGV[2] value       an argument of that function
Reply: [the answer]
Errors: none
Complexity: O(1)
Version: 4
]]
local what = ARGV[1]
if what == 'now' then return {int(now_us(ARGV[2]))} end
if what == 'now again' then return {int(now_us(redis.call('HGET', KEYS[1], 'clock')))} end
if what == 'int' then return {int(tonumber(ARGV[2]))} end
if what == 'remember' then
  local kept = {}
  for i = 1, tonumber(ARGV[2]) do remember(kept, 'text ' .. i, i) end
  return {int(kept.count) .. ' ' .. int(kept['text ' .. ARGV[2]])}
end
if what == 'outdated' then
  local held = redis.call('HMGET', KEYS[1], 'script_version', 'script_sha')
  return {outdated(held[1], held[2]) or 'fine'}
end
local held = redis.call('HMGET', KEYS[1], 'seq', 'log_limit')
local seq = (tonumber(held[1]) or 0) + 1
redis.call('XADD', KEYS[2], int(seq) .. '-0', 'at', 1763693000123456, 'n', ARGV[2])
trim_log(KEYS[1], seq, -1, tonumber(held[2]) or 1000000) -- looks at each entry, not once in 256
redis.call('HSET', KEYS[1], 'seq', int(seq))
return {int(seq)}
