-- Opens the pool: names of keys, settings, the time; ends the script when there is no such pool.
-- `conf` has fixed columns (numbers/pool/settings.py), because cutting is cheaper than parsing.
local call, sub, find, match = redis.call, string.sub, string.find, string.match
local byte, fmt = string.byte, string.format
local POOL = KEYS[1]
local NUMSTATE = KEYS[2] or POOL .. ':numstate'
local IDLE = KEYS[3] or POOL .. ':idle:up'
local NEAR = KEYS[4] or POOL .. ':idle:near'
local TIMERS = KEYS[5] or POOL .. ':timers'
local INDEX = KEYS[6] or POOL .. ':index'
local LOG = KEYS[7] or POOL .. ':log'
local BAND = 4398046511104 -- 2^42 ms: each band of TIMERS holds times up to the year 2109
local REGION = 1099511627776 -- 2^40 ms: each region's band of NEAR, from 2020 to 2054
local pool = call('HMGET', POOL, 'conf', 'seq', 'clock', 'carried', 'script_version')
local conf = pool[1]
if not conf then return { '-1', '', '', 'no such pool' } end
if pool[5] and pool[5] - VERSION > 1 then
  return { '-1', '', '', outdated(pool[5], call('HGET', POOL, 'script_sha')) }
end
local seq, carried = pool[2] + 0, pool[4] + 0
local first_seq = seq
local now = now_us(pool[3])
local at = fmt('%d', now)
