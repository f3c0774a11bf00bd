--[[ numbers/create
Purpose: Makes a pool's data, or tells that it is there; with recover, a new life of it that must
  be loaded and stays closed until its switches have reported.
KEYS[1] {pool}                HASH    settings, generation, sequence, counters
KEYS[2] {pool}:numstate       HASH    number → JSON
KEYS[3] {pool}:idle:up        ZSET    as numbers/event
KEYS[4] {pool}:idle:near      ZSET    as numbers/event
KEYS[5] {pool}:timers         ZSET    as numbers/event
KEYS[6] {pool}:log            STREAM  as numbers/event
KEYS[7] {pool}:registrations  ZSET    as numbers/event
KEYS[8] {pool}:charges        ZSET    as numbers/voucher
ARGV[1] generation            a whole number, greater than that of the data that is there
ARGV[2] status                o open, p paused, r recovering
ARGV[3] columns               the settings as conf from column 2
ARGV[4] days                  coming midnights of the account's zone, s since 1970, joined by spaces
ARGV[5] script_sha            SHA-1 of numbers/event
ARGV[6] log_limit             entries
ARGV[7] open_after_seconds    recovering: opens by itself then
ARGV[8] added_by_script       lend, confirm or refuse, as numbers/configure
ARGV[9] media                 as numbers/configure
ARGV[10+] switches            recovering: name, incarnation of each switch that has to report
Reply: [1, "", "", ""]; reason "exists" = this generation is there already, nothing was done
Errors: -1 "other generation <n>" (a newer one is there), "malformed …"
Complexity: O(1)
Version: 1
]]
local call = redis.call
local POOL = KEYS[1]
local generation, status, columns = ARGV[1], ARGV[2], ARGV[3] or ''
if not generation or not string.find(generation, '^%d+$') then return { '-1', '', '', 'malformed generation' } end
if status ~= 'o' and status ~= 'p' and status ~= 'r' then return { '-1', '', '', 'malformed status' } end
if #columns ~= 102 or not string.find(columns, '^[01][01]0|%d+$') then return { '-1', '', '', 'malformed columns' } end
local rule = ARGV[8]
if rule ~= 'lend' and rule ~= 'confirm' and rule ~= 'refuse' then return { '-1', '', '', 'malformed added_by_script' } end
local there = call('HMGET', POOL, 'generation', 'clock', 'conf')
if there[3] and there[1] then
  if there[1] == generation then return { '1', '', '', 'exists' } end
  if there[1] + 0 > generation + 0 then return { '-1', '', '', 'other generation ' .. there[1] } end
end
local now = now_us(there[2])
local at = int(now)
for i, suffix in ipairs({ ':numstate', ':idle:up', ':idle:near', ':timers', ':log', ':registrations', ':charges' }) do
  call('UNLINK', KEYS[i + 1] or POOL .. suffix)
end
call('UNLINK', POOL)
call('HSET', POOL, 'generation', generation, 'conf', status .. columns .. string.sub(columns, 83, 92)
  .. string.rep('0', 87), 'seq', 1, 'clock', at, 'drained', 0, 'dropped', 0,
  'carried', 0, 'carried_in', 0, 'blocked', 0, 'retried', 0, 'aside', 0, 'busy_down', 0, 'quarantined', 0, 'old', 0,
  'days', ARGV[4] or '', 'script_version', VERSION, 'script_sha', ARGV[5] or '', 'log_limit', ARGV[6] or '1000000',
  'added_by_script', rule, 'media', ARGV[9] or '',
  'loaded', status == 'r' and 0 or 1)
local names, switches, session = {}, {}, 1000
for i = 10, #ARGV - 1, 2 do
  session = session + 1
  names[#names + 1] = ARGV[i]
  switches[ARGV[i]] = session
  call('HSET', POOL, 'w:' .. ARGV[i], int(session) .. string.sub(at, 1, 10) .. ARGV[i + 1])
end
if #names > 0 then
  call('HSET', POOL, 'switches', cjson.encode(switches), 'session', session, 'awaiting', table.concat(names, '\t'))
end
if status == 'r' then call('HSET', POOL, 'open_at', int(now + (ARGV[7] or 0) * 1000000)) end
call('XADD', KEYS[6] or POOL .. ':log', '1-0', 'at', at, 'e',
  (status == 'r' and 'recovering' or 'created') .. '\t\t\t\t\t\t\t\t')
redis.pcall('PUBLISH', POOL .. ':wake', '')
redis.pcall('PUBLISH', 'timers:new', POOL)
return { '1', '', '', '' }
