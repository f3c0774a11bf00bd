--[[ numbers/sweep
Purpose: What time brings, a bounded piece at a time: the next day, a recovering pool's opening,
  what a clock that was ahead planned, superseded calls, leases, registrations, offers, and forgetting.
KEYS[1] {pool}                HASH    as numbers/event
KEYS[2] {pool}:numstate       HASH    as numbers/event
KEYS[3] {pool}:idle:up        ZSET    as numbers/event
KEYS[4] {pool}:idle:near      ZSET    as numbers/event
KEYS[5] {pool}:timers         ZSET    as numbers/event
KEYS[6] {pool}:log            STREAM  as numbers/event
KEYS[7] {pool}:registrations  ZSET    as numbers/event
ARGV[1] batch              how many of each kind at most, 1 to 1 000
Reply: pairs: more day opened shortened released renewed suspected lapsed expired forgotten now next; more = 1:
  call again at once; now and next in µs: nothing is due before next
Errors: -1 "no such pool", "script outdated …", "malformed batch"
Complexity: O(batch × log n)
Version: 1
]]
--@include open
--@include machinery
local slow = machinery(now, at)
slow.sync(seq, conf)
local batch = tonumber(ARGV[1])
if not batch or batch < 1 or batch > 1000 or batch % 1 ~= 0 then return { '-1', '', '', 'malformed batch' } end
local rolled, more_ahead = slow.roll_day(), slow.put_back(batch)
local opened = slow.open_in_time()
local shortened = slow.shorten(batch)
seq, conf = slow.synced()
local released, more = slow.release(batch)
local renewed, suspected, lapsed = slow.leases(batch)
local expired, more_contacts = slow.expire(batch)
seq, conf = slow.synced()
if sub(conf, 4, 4) == '1' then slow.serve() end
local forgotten = 0
if math.abs(now - (call('HGET', POOL, 'tidied') or 0)) >= 1000000 then -- goes round the pool: not at each visit
  if sub(conf, 2, 2) == '1' then slow.sweep_near(math.max(100, math.floor(call('ZCARD', NEAR) / 1000))) end
  forgotten = slow.forget(math.max(batch, math.floor(call('HLEN', POOL) / 200)))
  call('HSET', POOL, 'tidied', at)
end
local next_us = slow.next_time()
seq, conf = slow.synced()
--@include close
if more_ahead or more_contacts or shortened >= batch or renewed + suspected + lapsed >= batch then more = true end
local us = slow.us
return { 'more', more and '1' or '0', 'day', rolled and '1' or '0', 'opened', opened and '1' or '0', 'shortened',
  us(shortened), 'released', us(released), 'renewed', us(renewed), 'suspected', us(suspected), 'lapsed', us(lapsed),
  'expired', us(expired), 'forgotten', us(forgotten), 'now', at, 'next', us(next_us) }
