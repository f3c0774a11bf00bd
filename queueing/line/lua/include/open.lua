-- Opens the desk: names of keys, its fields, the time; ends the script when there is no such desk.
local call, sub, match, gmatch = redis.call, string.sub, string.match, string.gmatch
local fmt, find = string.format, string.find
local DESK = KEYS[1]
local QUEUES = KEYS[2] or DESK .. ':queues'
local VISITS = KEYS[3] or DESK .. ':visits'
local AGENTS = KEYS[4] or DESK .. ':agents'
local WAITING = KEYS[5] or DESK .. ':waiting'
local READY = KEYS[6] or DESK .. ':ready'
local FREE = KEYS[7] or DESK .. ':free'
local TIMERS = KEYS[8] or DESK .. ':timers'
local LOG = KEYS[9] or DESK .. ':log'
local CALLS = KEYS[10] or DESK .. ':calls'
local h = call('HMGET', DESK, 'conf', 'seq', 'clock', 'drained', 'log_limit', 'script_version', 'woken', 'needs', 'profiles', 'calls', 'joined', 'answered', 'abandoned', 'ticket')
if not h[1] then return { 'no such desk' } end
if h[6] and h[6] - VERSION > 1 then return { outdated(h[6], call('HGET', DESK, 'script_sha')) } end
local status = sub(h[1], 1, 1)
local seq, needs, profiles, calls = h[2] + 0, (h[8] or 0) + 0, (h[9] or 0) + 0, (h[10] or 0) + 0
local first_seq = seq
-- Written by `close` with the sequence, as texts: a command for each would cost as much as the rest.
local joined_total, answered_total, abandoned_total, last_ticket = h[11] or '0', h[12] or '0', h[13] or '0', h[14] or '0'
local now = now_us(h[3])
local now_ms = math.floor(now / 1000)
