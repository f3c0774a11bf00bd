--[[ numbers/release
Purpose: Releases the calls of superseded incarnations, a batch at a time.
KEYS[1] {pool}                HASH    as numbers/event
KEYS[2] {pool}:numstate       HASH    as numbers/event
KEYS[3] {pool}:idle:up        ZSET    as numbers/event
KEYS[4] {pool}:idle:near      ZSET    as numbers/event
KEYS[5] {pool}:timers         ZSET    as numbers/event
KEYS[6] {pool}:log            STREAM  as numbers/event
KEYS[7] {pool}:registrations  ZSET    as numbers/event
ARGV[1] batch              calls at most, 1 to 1 000
Reply: [1, released, "", reason]; reason "more" = call again
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
--@include rights
local released, more = slow.release(batch)
seq, conf = slow.synced()
--@include close
return { '1', fmt('%d', released), '', more and 'more' or '' }
