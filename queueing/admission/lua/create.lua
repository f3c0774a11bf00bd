--[[ admission/create
Purpose: Creates a gate's data, or reports that it exists. As recovering, creates a new generation, in which its whole
  cap counts as used.
KEYS as admission/show
ARGV[1] generation       µs since 1970, 16 digits, greater than that of the data that is there
ARGV[2] status           o open, p paused, r recovering
ARGV[3] columns          the settings as conf from column 2
ARGV[4] adapt            the adaptive cap's settings
ARGV[5] script_sha       SHA-1 of admission/acquire
ARGV[6] open_after_s     recovering: opens by itself then
ARGV[7] becomes          recovering: o or p, what it opens as
Reply: [1, "", "", ""]; reason "exists" = this generation is there already, nothing was done
Errors: -1 "other generation <n>" (a newer one is there), "malformed …"
Complexity: O(1)
Version: 1
]]
local generation, letter, columns, adapt = ARGV[1] or '', ARGV[2] or '', ARGV[3] or '', ARGV[4] or ''
local sha, open_after_seconds, becomes = ARGV[5] or '', ARGV[6] or 0, ARGV[7] == 'p' and 'p' or 'o'
local status = settings.STATUS[letter]
if not checks.is_token(generation) then return checks.refusal('malformed generation') end
if not status then return checks.refusal('malformed status') end
if not settings.are_columns(columns) then return checks.refusal('malformed columns') end
local tag = KEYS[1]
local there, last, has_conf = unpack(redis.call('HMGET', tag, 'generation', 'clock', 'conf'))
if there and has_conf then
  if there == generation then return { '1', '', '', 'exists' } end
  if there + 0 > generation + 0 then return checks.refusal('other generation ' .. there) end
end

local conf = settings.read(letter .. columns)
local now = now_us(last)
local at, cap = string.format('%d', now), string.format('%d', conf.cap)
redis.call('UNLINK', unpack(gate.keys(tag)))
redis.call('HSET', tag, 'generation', generation, 'conf', conf.text, 'seq', 1, 'clock', at, 'drained', 0,
  'dropped', 0, 'granted', 0, 'released', 0, 'refused', 0, 'expired', 0, 'line', 0, 'hold', 0,
  'script_version', VERSION, 'script_sha', sha, 'log_limit', string.format('%d', conf.log_limit),
  'adapt', adapt, 'win_at', at, 'loaded', status == 'recovering' and 0 or 1)
if status == 'recovering' then
  local open_after = open_after_seconds * settings.SECOND_US
  redis.call('HSET', tag, 'ghosts', cap, 'open_at', string.format('%d', now + open_after),
    'open_after', string.format('%d', open_after), 'becomes', becomes)
end
local event = status == 'recovering' and 'recovering' or 'created'
redis.call('XADD', tag .. ':log', '1-0', 'at', at, 'e', event .. '\t\t\t\t\t\t\t\t' .. cap)
redis.pcall('PUBLISH', tag .. ':wake', '')
redis.pcall('PUBLISH', 'timers:new', tag)
return { '1', '', '', '' }
