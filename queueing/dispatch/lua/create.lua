--[[ dispatch/create
Purpose: Makes a group's data, or a new life of it after a loss: then it is recovering, and peers are asked for
  their sessions. The same generation again changes nothing.
KEYS[1] {disp}          HASH    conf, generation, seq, counters
KEYS[2] {disp}:peers    HASH    peer → its record
KEYS[3] {disp}:beats    ZSET    active peer by the µs at which it becomes pending
KEYS[4] {disp}:gone     ZSET    pending peer by the µs at which it is stopped
KEYS[5] {disp}:seqs     HASH    numbers and counts of peers
KEYS[6] {disp}:out      HASH    peer, number → frame that the peer has not acknowledged
KEYS[7] {disp}:routes   HASH    session → its route
KEYS[8] {disp}:timers   ZSET    timed and provisional sessions by the µs at which they go
KEYS[9] {disp}:index    ZSET    sessions in lexical order, of fronts and of backs
KEYS[10] {disp}:ready   ZSET    back that takes sessions, by load
KEYS[11] {disp}:ring    ZSET    points of names for sharing by key
KEYS[12] {disp}:names   HASH    name → manual state, upgrade flag, back
KEYS[13] {disp}:clear   ZSET    lives of peers whose routes are void, by µs
KEYS[14] {disp}:log     STREAM  history
ARGV[1] generation      a whole number; a larger one removes what is there
ARGV[2] conf            status o or r, then the settings' columns
ARGV[3] script_sha      SHA-1 of dispatch/start
ARGV[4+] names          quadruples: name, manual state o d b, upgrade flag 0 1, until µs or ""; 1 000 names at most
Reply: [1, ""] or [1, "exists"]
Errors: [-1, reason]: "malformed …", "too many names", "other generation <n>"
Complexity: O(names); O(n) in the background when an older life is removed
Version: 1
]]
local call, find = redis.call, string.find
local GROUP, generation, conf = KEYS[1], ARGV[1] or '', ARGV[2] or ''
if not find(generation, '^%d+$') or #generation > 16 then return { '-1', 'malformed generation' } end
if #conf ~= 50 or not find(conf, '^[or][ltk]|%d+$') then return { '-1', 'malformed settings' } end
if (#ARGV - 3) % 4 ~= 0 then return { '-1', 'malformed names' } end
if (#ARGV - 3) / 4 > 1000 then return { '-1', 'too many names' } end
for i = 4, #ARGV, 4 do
  if #ARGV[i] > 40 or not find(ARGV[i], '^%w[%w._-]*$') or not find(ARGV[i + 1], '^[odb]$')
    or not find(ARGV[i + 2], '^[01]$') or not find(ARGV[i + 3], '^%d*$') then
    return { '-1', 'malformed names' }
  end
end
local there = call('HMGET', GROUP, 'generation', 'clock')
if there[1] == generation then return { '1', 'exists' } end
if there[1] and there[1] + 0 > generation + 0 then return { '-1', 'other generation ' .. there[1] } end
local now = now_us(there[2])
local at = int(now)
local suffixes = { '', ':peers', ':beats', ':gone', ':seqs', ':out', ':routes', ':timers', ':index', ':ready', ':ring',
  ':names', ':clear', ':log' }
for i = 1, #suffixes do call('UNLINK', KEYS[i] or GROUP .. suffixes[i]) end
local recovering = string.sub(conf, 1, 1) == 'r'
call('HSET', GROUP, 'generation', generation, 'conf', conf, 'seq', 1, 'clock', at, 'drained', 0, 'dropped', 0,
  'log_limit', string.sub(conf, 41, 50) + 0, 'script_version', VERSION, 'script_sha', ARGV[3] or '', 'offered', 0)
if recovering then
  call('HSET', GROUP, 'opens_at', int(now + string.sub(conf, 10, 14) * 1000000))
end
local first = ''
for i = 4, #ARGV, 4 do
  local till = ARGV[i + 3]
  if till ~= '' and (first == '' or till + 0 < first + 0) then first = till end
  call('HSET', KEYS[12] or GROUP .. ':names', ARGV[i],
    table.concat({ ARGV[i + 1], ARGV[i + 2], '', ARGV[i + 3], '' }, '\t'))
end
call('HSET', GROUP, 'until', first)
call('XADD', KEYS[14] or GROUP .. ':log', '1-0', 'at', at, 'e',
  (recovering and 'recovering' or 'created') .. '\t\t\t\t\t\t')
redis.pcall('PUBLISH', GROUP .. ':wake', '')
redis.pcall('PUBLISH', 'timers:new', GROUP)
return { '1', '' }
