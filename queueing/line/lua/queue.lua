--[[ line/queue
Purpose: Write or remove the settings of a queue; one that has visitors is not removed.
KEYS[1] {line.desk}           HASH    settings, generation, seq, skills, counters
KEYS[2] {line.desk}:queues    HASH    queue → settings
KEYS[3] {line.desk}:visits    HASH    visit → state
KEYS[4] {line.desk}:agents    HASH    agent → state
KEYS[5] {line.desk}:waiting   ZSET    everybody in a queue, in order
KEYS[6] {line.desk}:ready     ZSET    those of them who can be matched
KEYS[7] {line.desk}:free      ZSET    agents who can take a visitor, per queue
KEYS[8] {line.desk}:timers    ZSET    what time brings, by ms
KEYS[9] {line.desk}:log       STREAM  one entry per change
KEYS[10] {line.desk}:calls    ZSET    visits with a call back, by the ms at which it is looked at
ARGV[1] queue          its id
ARGV[2] settings       as desk/settings.py writes them, or "" = remove
ARGV[3] script_sha     SHA-1 of line/join
ARGV[4] log_limit      largest backlog
Reply: [answer, seq]; answer: ok, repeat, in_use
Errors: "no such desk", "script outdated …", "malformed …"
Complexity: O(log n + agents free)
Version: 1
]]
--@include open
--@include records
--@include matching
--@include moves

local id, settings = ARGV[1] or '', ARGV[2] or ''
if not find(id, '^[1-9]%d?%d?%d?%d?%d?$') then return { 'malformed queue' } end
if settings ~= '' and not match(settings, '^[aom] [01] %d+ %d+ %d+ %d+ %d+ %d+ %d+ %d+ [wofe] %d+ %d+ %d+ %d+$') then return { 'malformed settings' } end
call('HSET', DESK, 'script_sha', ARGV[3] or '', 'script_version', VERSION, 'log_limit', ARGV[4] or '1000000')
local before = call('HGET', QUEUES, id)
if settings == '' then
  if waiting_of(id) > 0 then return { 'in_use', int(seq) } end
  if not before then return { 'repeat', int(seq) } end
  call('HDEL', QUEUES, id)
  log('queue', 'q', id, 'w', 'removed')
else
  if before == settings then return { 'repeat', int(seq) } end
  call('HSET', QUEUES, id, settings)
  queues[id] = nil
  log('queue', 'q', id, 'w', clean(settings))
  local q = queue_of(id)
  if q.mode ~= 'm' and status == 'o' then -- it may have been manual: whoever is free looks again
    local from = fmt('%06d', id)
    local free = call('ZRANGEBYLEX', FREE, '[' .. from, '(' .. from .. '~', 'LIMIT', 0, 100)
    for i = 1, #free do
      local a = agent_of(sub(free[i], 25))
      match_agent(a)
      keep_agent(a)
    end
  end
end
--@include close
redis.pcall('PUBLISH', 'timers:new', DESK)
return { 'ok', int(seq) }
