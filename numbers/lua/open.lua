--[[ numbers/open
Purpose: Opens a recovering pool: at once for an operator, or when all has been loaded.
KEYS as numbers/event
ARGV[1] how                now = an operator opens early; loaded = every number is there, wait for the switches
ARGV[2] reason             for the history
ARGV[3] status             o open, p paused: what it becomes
Reply: [1, "", "", reason]; reason "waiting" = switches have yet to report, "repeat" = it was open
Errors: -1 "no such pool", "script outdated …"
Complexity: O(switches), 256 at most
Version: 1
]]
local how, status = ARGV[1], ARGV[3] or settings.LETTER.open
local may_become = status == settings.LETTER.open or status == settings.LETTER.paused
if (how ~= 'now' and how ~= 'loaded') or not may_become then return pool.refusal('malformed') end
local refusal = pool.open(KEYS[1])
if refusal then return refusal end
if pool.conf.status ~= 'recovering' then return { '1', '', '', 'repeat' } end
redis.call('HSET', pool.tag, 'loaded', 1, 'becomes', status)
-- A list whose first part met an empty pool begins anew.
for name in pairs(lives.sessions()) do lists.expect(name) end
local must_wait = how == 'loaded' and (pool.field('awaiting') or '') ~= ''
if not must_wait then recovery.open(texts.reason(ARGV[2])) end
pool.close()
tell_timers(pool.tag)
return { '1', '', '', must_wait and 'waiting' or '' }
