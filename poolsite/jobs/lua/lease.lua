--[[ jobs/lease
Purpose: Lets one worker at a time hold a lease, until it returns it or stops renewing it. Each hold has a larger
  fencing number than the last, so a late holder can be recognized.
KEYS[1] {sweep}       HASH   holder, fence, until (µs)
ARGV[1] verb          acquire, renew or release
ARGV[2] holder        its name; one per hold
ARGV[3] lease_us      how long a hold lasts, in µs
Reply: [1, fence] held (or given back), or [0, holder]: another worker holds it, or none
Errors: none
Complexity: O(1)
Full server: runs
Version: 1
]]
local h = redis.call('HMGET', KEYS[1], 'holder', 'fence', 'until', 'clock')
local now = now_us(h[4])
local ends, last = tonumber(h[3]) or 0, tonumber(h[4]) or 0
if last > now then -- the clock was put back: the hold lasts as long from now as it did from then
  ends = ends - last + now
  redis.call('HSET', KEYS[1], 'until', int(ends), 'clock', int(now))
end
local held = h[1] and h[1] ~= '' and ends > now
local mine = held and h[1] == ARGV[2]
local fence = tonumber(h[2]) or 0
local until_us = int(now + tonumber(ARGV[3]))
if ARGV[1] == 'release' then
  if mine then redis.call('HSET', KEYS[1], 'holder', '', 'until', '0', 'clock', int(now)) end
  return {mine and '1' or '0', int(fence)}
end
if mine then
  redis.call('HSET', KEYS[1], 'until', until_us, 'clock', int(now))
  return {'1', int(fence)}
end
if held or ARGV[1] == 'renew' then return {'0', held and h[1] or ''} end
fence = fence + 1
redis.call('HSET', KEYS[1], 'holder', ARGV[2], 'fence', int(fence), 'until', until_us, 'clock', int(now))
return {'1', int(fence)}
