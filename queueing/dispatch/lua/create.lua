--[[ dispatch/create
Purpose: Creates a group's data, or a new generation after a loss. The group is recovering then, and peers are asked for
  their sessions. The same generation again changes nothing.
KEYS as dispatch/start
ARGV[1] generation      a whole number; a larger one removes what is there
ARGV[2] conf            status o or r, then the settings' columns
ARGV[3] script_sha      SHA-1 of dispatch/start
ARGV[4+] names          five words each: name, manual state o d b, upgrade flag 0 1, until µs or "", backup 0 1;
  1 000 names at most
Reply: [1, ""] or [1, "exists"]
Errors: [-1, reason]: "malformed …", "too many names", "other generation <n>"
Complexity: O(names); O(n) in the background when an older life is removed
Version: 1
]]
local WORDS = 5
local tag, generation, columns, sha = KEYS[1], ARGV[1] or '', ARGV[2] or '', ARGV[3] or ''
if not is_digits(generation, checks.TIME_DIGITS) then return checks.refusal('malformed generation') end
local status, others = string.match(columns, '^([or])(.*)$')
if not status or not settings.are_columns(others) then return checks.refusal('malformed settings') end
if (#ARGV - 3) % WORDS ~= 0 then return checks.refusal('malformed names') end
if (#ARGV - 3) / WORDS > checks.MOST_NAMES then return checks.refusal('too many names') end
local first_end, given, backups = '', {}, {}
for place = 4, #ARGV, WORDS do
  local name, letter, upgrading, ends_at, backup = unpack(ARGV, place, place + WORDS - 1)
  local is_right = checks.is_id(name) and names.MANUAL[letter] and is_flag(upgrading)
    and string.find(ends_at, '^%d*$') and is_flag(backup)
  if not is_right then return checks.refusal('malformed names') end
  if ends_at ~= '' and (first_end == '' or ends_at + 0 < first_end + 0) then first_end = ends_at end
  local its = names.new(name)
  its.manual, its.is_upgrading, its.ends_at = names.MANUAL[letter], upgrading == '1', ends_at
  given[#given + 1] = its
  if backup == '1' then backups[#backups + 1] = name end
end
local there, last = unpack(redis.call('HMGET', tag, 'generation', 'clock'))
if there == generation then return { '1', 'exists' } end
if there and there + 0 > generation + 0 then return checks.refusal('other generation ' .. there) end

local now = now_us(last)
local at, conf = string.format('%d', now), settings.read(columns)
redis.call('UNLINK', unpack(group.keys(tag)))
redis.call('HSET', tag, 'generation', generation, 'conf', columns, 'seq', 1, 'clock', at, 'drained', 0, 'dropped', 0,
  'log_limit', string.format('%d', conf.log_limit), 'script_version', VERSION, 'script_sha', sha, 'offered', 0,
  'until', first_end)
if conf.status == 'recovering' then
  redis.call('HSET', tag, 'opens_at', string.format('%d', now + conf.disconnect_us))
end
for _, name in ipairs(given) do redis.call('HSET', tag .. ':names', name.name, names.record(name)) end
for _, name in ipairs(backups) do redis.call('HSET', tag .. ':backups', name, '1') end
local event = conf.status == 'recovering' and 'recovering' or 'created'
redis.call('XADD', tag .. ':log', '1-0', 'at', at, 'e', event .. '\t\t\t\t\t\t')
redis.pcall('PUBLISH', tag .. ':wake', '')
tell_timers(tag)
return { '1', '' }
