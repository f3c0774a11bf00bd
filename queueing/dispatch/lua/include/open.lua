-- Opens the group: names of keys, settings, the time; ends the script when there is no such group.
-- `conf` has fixed columns (dispatcher/settings.py), because cutting is cheaper than parsing.
local call, sub, find, match = redis.call, string.sub, string.find, string.match
local fmt, concat = string.format, table.concat
local GROUP = KEYS[1]
local PEERS, BEATS = KEYS[2] or GROUP .. ':peers', KEYS[3] or GROUP .. ':beats'
local GONE, SEQS = KEYS[4] or GROUP .. ':gone', KEYS[5] or GROUP .. ':seqs'
local OUT, ROUTES = KEYS[6] or GROUP .. ':out', KEYS[7] or GROUP .. ':routes'
local TIMERS, INDEX = KEYS[8] or GROUP .. ':timers', KEYS[9] or GROUP .. ':index'
local READY, RING = KEYS[10] or GROUP .. ':ready', KEYS[11] or GROUP .. ':ring'
local NAMES, CLEAR = KEYS[12] or GROUP .. ':names', KEYS[13] or GROUP .. ':clear'
local LOG = KEYS[14] or GROUP .. ':log'
local SLUG = sub(GROUP, 7, -2)
local head = call('HMGET', GROUP, 'conf', 'seq', 'clock', 'generation', 'script_version', 'woken', 'drained', 'log_limit',
  'opens_at', 'listens_at', 'until')
local conf = head[1]
if not conf then return { '-1', 'no such group' } end
if head[5] and head[5] - VERSION > 1 then
  return { '-1', outdated(head[5], call('HGET', GROUP, 'script_sha')) }
end
local status, sharing = sub(conf, 1, 1), sub(conf, 2, 2)
local seq, now = head[2] + 0, now_us(head[3])
local first_seq, at = seq, int(now)
