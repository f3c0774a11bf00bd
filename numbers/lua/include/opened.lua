-- pool holds the first five fields of the tag's hash: the settings, the time; ends the script when
-- there is no such pool. `conf` has fixed columns (numbers/pool/settings.py): cutting is cheaper than parsing. Behind the
-- settings stand times, 16 digits each: 104 when events have to look at the day and at registrations (slow.keep_up),
-- 120 when a call may have come to its end (slow.catch_up), 136 the clock's lag and 152 when it is settled,
-- 168 and 184 the same for registrations, 200 whether what lies too far ahead is to be put back (doubt).
local conf = pool[1]
if not conf then return { '-1', '', '', 'no such pool' } end
if pool[5] and pool[5] - VERSION > 1 then
  return { '-1', '', '', outdated(pool[5], call('HGET', POOL, 'script_sha')) }
end
local seq, carried = pool[2] + 0, pool[4] + 0
local first_seq = seq
local last = (pool[3] or 0) + 0
local now = now_us(last)
local at = fmt('%d', now)
--@include doubt
