--[[ numbers/open
Purpose: Opens a recovering pool: at once by an operator, or when all has been loaded.
KEYS[1] {pool}                HASH    as numbers/event
KEYS[2] {pool}:numstate       HASH    as numbers/event
KEYS[3] {pool}:idle:up        ZSET    as numbers/event
KEYS[4] {pool}:idle:near      ZSET    as numbers/event
KEYS[5] {pool}:timers         ZSET    as numbers/event
KEYS[6] {pool}:log            STREAM  as numbers/event
KEYS[7] {pool}:registrations  ZSET    as numbers/event
ARGV[1] how                now = an operator opens early; loaded = every number is there, wait for the switches
ARGV[2] reason             for the history
ARGV[3] status             o open, p paused: what it becomes
Reply: [1, "", "", reason]; reason "waiting" = switches have yet to report, "repeat" = it was open
Errors: -1 "no such pool", "script outdated …"
Complexity: O(switches), 256 at most
Version: 1
]]
--@include open
--@include machinery
local slow = machinery(now, at)
slow.sync(seq, conf)
local how, status = ARGV[1], ARGV[3] or 'o'
if (how ~= 'now' and how ~= 'loaded') or (status ~= 'o' and status ~= 'p') then return { '-1', '', '', 'malformed' } end
if sub(conf, 1, 1) ~= 'r' then return { '1', '', '', 'repeat' } end
call('HSET', POOL, 'loaded', 1, 'becomes', status)
for name in pairs(cjson.decode(call('HGET', POOL, 'switches') or '{}')) do
  slow.no_list_yet(name) -- a list whose first part met an empty pool begins anew
end
local awaiting = call('HGET', POOL, 'awaiting')
local reason = ''
if how == 'now' or not awaiting or awaiting == '' then slow.open(slow.clean(ARGV[2]))
else reason = 'waiting' end
seq, conf = slow.synced()
--@include close
redis.pcall('PUBLISH', 'timers:new', POOL)
return { '1', '', '', reason }
