--[[ numbers/create
Purpose: Creates a pool's data, or reports that it exists. With recover, creates a new generation, which must be loaded
  and stays closed until its switches have reported.
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
local SWITCHES = 10 -- where the switches begin
local tag, generation, status, written, rule = KEYS[1], ARGV[1] or '', ARGV[2], ARGV[3] or '', ARGV[8]
if not string.find(generation, '^%d+$') then return pool.refusal('malformed generation') end
if not settings.STATUS[status] then return pool.refusal('malformed status') end
if not columns.are_columns(written) then return pool.refusal('malformed columns') end
if not columns.RULES[rule] then return pool.refusal('malformed added_by_script') end
local there = redis.call('HMGET', tag, 'generation', 'clock', 'conf')
if there[3] and there[1] then
  if there[1] == generation then return { '1', '', '', 'exists' } end
  if there[1] + 0 > generation + 0 then return pool.refusal('other generation ' .. there[1]) end
end

for _, name in ipairs(pool.keys(tag)) do redis.call('UNLINK', name) end
local now = now_us(there[2])
local is_recovering = status == settings.LETTER.recovering
redis.call('HSET', tag, 'generation', generation, 'conf', columns.first(status, written), 'seq', 1, 'clock', int(now),
  'drained', 0, 'dropped', 0, 'carried', 0, 'carried_in', 0, 'blocked', 0, 'retried', 0, 'aside', 0, 'busy_down', 0,
  'quarantined', 0, 'old', 0, 'days', ARGV[4] or '', 'script_version', VERSION, 'script_sha', ARGV[5] or '',
  'log_limit', ARGV[6] or '1000000', 'added_by_script', rule, 'media', ARGV[9] or '',
  'loaded', is_recovering and 0 or 1)
if is_recovering then redis.call('HSET', tag, 'open_at', int(now + (ARGV[7] or 0) * 1000000)) end
local names, sessions, session = {}, {}, leases.NO_SWITCH
for place = SWITCHES, #ARGV - 1, 2 do
  local name, incarnation = ARGV[place], ARGV[place + 1]
  session = session + 1
  names[#names + 1], sessions[name] = name, session
  redis.call('HSET', tag, 'w:' .. name, int(session) .. int(math.floor(now / 1000000)) .. incarnation)
end
if #names > 0 then
  redis.call('HSET', tag, 'switches', cjson.encode(sessions), 'session', session, 'awaiting', table.concat(names, '\t'))
end
redis.call('XADD', tag .. ':log', '1-0', 'at', int(now), 'e', (is_recovering and 'recovering' or 'created')
  .. string.rep('\t', 8))
redis.pcall('PUBLISH', tag .. ':wake', '')
tell_timers(tag)
return { '1', '', '', '' }
