--[[ numbers/pause
Purpose: Pauses a pool, or lets it go on; calls that run are not touched.
KEYS[1] {pool}                HASH    as numbers/event
KEYS[2] {pool}:numstate       HASH    as numbers/event
KEYS[3] {pool}:idle:up        ZSET    as numbers/event
KEYS[4] {pool}:idle:near      ZSET    as numbers/event
KEYS[5] {pool}:timers         ZSET    as numbers/event
KEYS[6] {pool}:log            STREAM  as numbers/event
KEYS[7] {pool}:registrations  ZSET    as numbers/event
ARGV[1] on                 1 pause, 0 go on
ARGV[2] reason             for the history
Reply: [1, "", "", ""]; reason "repeat" = it was so already
Errors: -1 "no such pool", "script outdated …", "recovering" (numbers/open opens it)
Complexity: O(log n)
Version: 1
]]
--@include open
--@include machinery
local slow = machinery(now, at)
slow.sync(seq, conf)
local on = ARGV[1]
if on ~= '0' and on ~= '1' then return { '-1', '', '', 'malformed on' } end
local status = sub(conf, 1, 1)
if status == 'r' then return { '-1', '', '', 'recovering' } end
if (status == 'p') == (on == '1') then return { '1', '', '', 'repeat' } end
slow.column(1, on == '1' and 'p' or 'o')
slow.log(on == '1' and 'paused' or 'resumed', '', '', '', slow.clean(ARGV[2]))
if on == '0' then slow.serve() end
seq, conf = slow.synced()
--@include close
return { '1', '', '', '' }
