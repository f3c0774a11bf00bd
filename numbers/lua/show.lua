--[[ numbers/show
Purpose: Reads a pool's status, settings and figures at one moment.
KEYS as numbers/event
Reply: pairs: as_of generation status conf seq drained dropped numbers idle_up idle_down busy_up busy_down quarantined
  resting pickable offered carried carried_in blocked waiting old_calls awaiting open_at days switches releasing
  log_limit script_version added_by_script media
Errors: -1 "no such pool", "script outdated …"
Complexity: O(log n)
Version: 1
]]
local FIELDS = { 'generation', 'drained', 'dropped', 'aside', 'busy_down', 'quarantined', 'carried_in', 'blocked',
  'retried', 'old', 'awaiting', 'open_at', 'days', 'switches', 'releasing', 'log_limit', 'script_version',
  'added_by_script', 'media' }
local refusal = pool.open(KEYS[1])
if refusal then return refusal end
local found, kept = redis.call('HMGET', pool.tag, unpack(FIELDS)), {}
for place, name in ipairs(FIELDS) do kept[name] = found[place] or '' end
local function figure(name) return tonumber(kept[name]) or 0 end

local numbers = redis.call('HLEN', pool.tag .. ':numstate')
local waiters, offered = 0, 0
if pool.conf.special then
  waiters = waiting.count()
  offered = waiting.count_all() - waiters
end
local busy = redis.call('ZCARD', pool.tag .. ':timers') - waiters - offered - figure('old')
local idle_up = redis.call('ZCARD', pool.tag .. ':idle:up') + figure('aside')
local resting = redis.call('ZCOUNT', pool.tag .. ':idle:up', '(' .. pool.at, '+inf')
local pickable = redis.call('ZCOUNT', pool.tag .. ':idle:up', '-inf', pool.at)
return { 'as_of', pool.at, 'generation', kept.generation, 'status', settings.LETTER[pool.conf.status], 'conf',
  pool.conf.text, 'seq', int(pool.seq), 'drained', int(figure('drained')), 'dropped', int(figure('dropped')), 'numbers',
  int(numbers), 'idle_up', int(idle_up), 'idle_down', int(numbers - busy - idle_up), 'busy_up',
  int(busy - figure('busy_down')), 'busy_down', int(figure('busy_down')), 'quarantined', int(figure('quarantined')),
  'resting', int(resting), 'pickable', int(pickable), 'offered',
  int(pool.carried + figure('blocked') - figure('retried')), 'carried', int(pool.carried), 'carried_in',
  int(figure('carried_in')), 'blocked', int(figure('blocked')), 'waiting', int(waiters), 'old_calls',
  int(figure('old')), 'awaiting', kept.awaiting, 'open_at', kept.open_at, 'days', kept.days, 'switches',
  kept.switches ~= '' and kept.switches or '{}', 'releasing', kept.releasing, 'log_limit', kept.log_limit,
  'script_version', kept.script_version, 'added_by_script',
  kept.added_by_script ~= '' and kept.added_by_script or 'lend', 'media', kept.media }
