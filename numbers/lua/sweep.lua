--[[ numbers/sweep
Purpose: Does a limited part of the work that has become due: the next day, a recovering pool's opening, corrections
  after a clock that was ahead, superseded calls, leases, registrations, offers, and expired records.
KEYS as numbers/event
ARGV[1] batch              how many of each kind at most, 1 to 1 000
Reply: pairs: more day opened shortened released renewed suspected lapsed expired forgotten now next; more = 1:
  call again at once; now and next in µs: nothing is due before next
Errors: -1 "no such pool", "script outdated …", "malformed batch"
Complexity: O(batch × log n)
Full server: runs
Version: 1
]]
local MOST = 1000
local FORGET_PART, NEAR_PART, NEAR_LEAST = 200, 1000, 100 -- a whole round takes so many visits
local batch = whole(ARGV[1], 1, MOST)
if not batch then return pool.refusal('malformed batch') end
local refusal = pool.open(KEYS[1])
if refusal then return refusal end

local has_rolled, is_more_ahead = upkeep.roll_day(), repair.put_back(batch)
local has_opened = recovery.open_in_time()
local shortened = repair.shorten(batch)
local released, is_more = lives.release(batch)
local renewed, suspected, lapsed = lapsing.end_due(batch)
local expired, is_more_expiring = contacts.end_due(batch)
if pool.conf.special then waiting.serve() end
local forgotten = 0
if math.abs(pool.now - (pool.field('tidied') or 0)) >= upkeep.SECOND_US then -- goes round the pool: not at each visit
  if pool.conf.near then
    local near = redis.call('ZCARD', pool.tag .. ':idle:near')
    upkeep.tidy_near(math.max(NEAR_LEAST, math.floor(near / NEAR_PART)))
  end
  forgotten = upkeep.forget(math.max(batch, math.floor(redis.call('HLEN', pool.tag) / FORGET_PART)))
  pool.set('tidied', pool.at)
end
local next_us = upkeep.next_us()
pool.close()
local has_filled = shortened >= batch or renewed + suspected + lapsed >= batch
is_more = is_more or is_more_ahead or is_more_expiring or has_filled
return { 'more', is_more and '1' or '0', 'day', has_rolled and '1' or '0', 'opened', has_opened and '1' or '0',
  'shortened', int(shortened), 'released', int(released), 'renewed', int(renewed), 'suspected', int(suspected),
  'lapsed', int(lapsed), 'expired', int(expired), 'forgotten', int(forgotten), 'now', pool.at, 'next', int(next_us) }
