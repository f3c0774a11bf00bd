--[[ limits/take
Purpose: Takes permits from all buckets of a client, or from none. A bucket is one number, the time at which it is full
  again (the generic cell rate algorithm).
KEYS[1] {rate}           HASH    never written; it names the slot
KEYS[2+] {rate}:<bucket>  STRING  when the bucket is full again, µs; a missing one is full
ARGV[1] wanted           permits that are wanted, from 1; fewer are given when a bucket holds fewer
ARGV[2+] limit           three for each bucket, whole numbers from 1: how many permits, in how many
  µs they come back, and how many the full bucket holds
Reply: [permits given, µs until the next permit when fewer were given than wanted, else 0]
Errors: "malformed"
Complexity: O(buckets)
Version: 1
]]
local call, floor, ceil = redis.call, math.floor, math.ceil
-- A key outlives its time by a minute, so that a clock that is put back forgives nothing.
local KEPT_MS = 60000
local buckets = #KEYS - 1
for i = 1, #ARGV do
  local n = tonumber(ARGV[i])
  if not n or n < 1 or n > 9007199254740991 or n ~= floor(n) then return redis.error_reply('malformed') end
end
if buckets < 1 or #ARGV ~= 1 + 3 * buckets then return redis.error_reply('malformed') end
local now = now_us(0)
local given, full_at, put_back, wait = ARGV[1] + 0, {}, {}, 0

-- What `permits` cost bucket b, in µs. Rounded up: never more permits than the limit.
local function cost(b, permits)
  return ceil(permits * ARGV[3 * b] / ARGV[3 * b - 1])
end

for b = 1, buckets do
  -- A bucket is never emptier than empty: a time further ahead is of a clock that was put back.
  local empty = now + cost(b, ARGV[3 * b + 1] + 0)
  local kept = tonumber(call('GET', KEYS[b + 1])) or 0
  full_at[b], put_back[b] = math.min(empty, math.max(now, kept)), kept > empty
  local room = empty - full_at[b]
  local held = math.max(0, floor(room * ARGV[3 * b - 1] / ARGV[3 * b]))
  if held < given then given = held end
end
for b = 1, buckets do
  if given > 0 or put_back[b] then
    full_at[b] = full_at[b] + cost(b, given)
    call('SET', KEYS[b + 1], int(full_at[b]), 'PX', int(ceil((full_at[b] - now) / 1000) + KEPT_MS))
  end
  if given < ARGV[1] + 0 then
    wait = math.max(wait, full_at[b] + cost(b, 1) - now - cost(b, ARGV[3 * b + 1] + 0))
  end
end
return { int(given), int(math.max(0, wait)) }
