--[[ numbers/show
Purpose: A pool's status, settings and figures at one moment.
KEYS[1] {pool}                HASH    as numbers/event
KEYS[2] {pool}:numstate       HASH    as numbers/event
KEYS[3] {pool}:idle:up        ZSET    as numbers/event
KEYS[4] {pool}:idle:near      ZSET    as numbers/event
KEYS[5] {pool}:timers         ZSET    as numbers/event
KEYS[6] {pool}:log            STREAM  as numbers/event
KEYS[7] {pool}:registrations  ZSET    as numbers/event
Reply: pairs: as_of generation status conf seq drained dropped numbers idle_up idle_down busy_up busy_down quarantined resting offered carried carried_in blocked waiting old_calls awaiting open_at days switches releasing log_limit script_version added_by_script media
Errors: -1 "no such pool", "script outdated …"
Complexity: O(log n)
Version: 1
]]
--@include open
--@include machinery
local slow = machinery(now, at)
slow.sync(seq, conf)
local f = call('HMGET', POOL, 'generation', 'drained', 'dropped', 'aside', 'busy_down', 'quarantined', 'carried_in',
  'blocked', 'retried', 'old', 'awaiting', 'open_at', 'days', 'switches', 'releasing', 'log_limit', 'script_version',
  'added_by_script', 'media')
local function n(i) return tonumber(f[i]) or 0 end
local us = slow.us
local numbers = call('HLEN', NUMSTATE)
local waiting, offered = 0, 0
if sub(conf, 4, 4) == '1' then
  waiting = call('ZCOUNT', TIMERS, 2 * BAND, '(' .. us(3 * BAND))
  offered = call('ZCOUNT', TIMERS, BAND, '(' .. us(2 * BAND))
end
local busy = call('ZCARD', TIMERS) - waiting - offered - n(10)
local busy_up = busy - n(5)
local idle_up = call('ZCARD', IDLE) + n(4)
return { 'as_of', at, 'generation', f[1] or '', 'status', sub(conf, 1, 1), 'conf', conf, 'seq', us(seq), 'drained',
  us(n(2)), 'dropped', us(n(3)), 'numbers', us(numbers), 'idle_up', us(idle_up), 'idle_down',
  us(numbers - busy - idle_up), 'busy_up', us(busy_up), 'busy_down', us(n(5)), 'quarantined', us(n(6)), 'resting',
  us(call('ZCOUNT', IDLE, '(' .. at, '+inf')), 'pickable', us(call('ZCOUNT', IDLE, '-inf', at)), 'offered',
  us(carried + n(8) - n(9)), 'carried', us(carried), 'carried_in', us(n(7)), 'blocked', us(n(8)), 'waiting',
  us(waiting), 'old_calls', us(n(10)), 'awaiting', f[11] or '', 'open_at', f[12] or '', 'days', f[13] or '',
  'switches', f[14] or '{}', 'releasing', f[15] or '', 'log_limit', f[16] or '', 'script_version', f[17] or '',
  'added_by_script', f[18] or 'lend', 'media', f[19] or '' }
