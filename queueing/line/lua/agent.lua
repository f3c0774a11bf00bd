--[[ line/agent
Purpose: Write or remove what an agent may do; rooms that it has go on.
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
ARGV[1] agent          its id
ARGV[2] capacity       rooms at once, 1 to 20; 0 = remove
ARGV[3] queues         ids of six digits, by comma, or "-"
ARGV[4] skills         "name:level,…" in order of names, or ""
ARGV[5] ttl_ms         how long a heartbeat lives
Reply: [answer, seq]; answer: ok, repeat, in_use (online)
Errors: "no such desk", "script outdated …", "malformed …"
Complexity: O(queues × log n)
Version: 1
]]
--@include open
--@include records
--@include matching
--@include moves

local id, capacity, qs, skills, ttl = ARGV[1] or '', tonumber(ARGV[2]), ARGV[3] or '-', ARGV[4] or '', ARGV[5] or '15000'
if not find(id, '^[1-9]%d*$') or #id > 12 then return { 'malformed agent' } end
if not capacity or capacity < 0 or capacity > 20 or capacity % 1 ~= 0 then return { 'malformed capacity' } end
if qs ~= '-' and not find(qs, '^[%d,]+$') then return { 'malformed queues' } end
if skills ~= '' and not find(skills, '^[a-z0-9-]+:[1-9][a-z0-9:,-]*$') then return { 'malformed skills' } end
if not find(ttl, '^%d+$') then return { 'malformed ttl' } end
local a = agent_of(id)
if capacity == 0 then
  if not a then return { 'repeat', int(seq) } end
  if a.state ~= 'x' then return { 'in_use', int(seq) } end
  call('HDEL', AGENTS, id)
  return { 'ok', int(seq) }
end
local profile = '00'
if skills ~= '' then
  profile = call('HGET', DESK, 'profile:' .. skills)
  if not profile then
    if profiles >= 99 then return { 'malformed skills' } end
    profiles = profiles + 1
    profile = fmt('%02d', profiles)
    call('HSET', DESK, 'profiles', int(profiles), 'profile:' .. skills, profile, 'profile' .. int(profiles), skills)
  end
end
if not a then
  call('HSET', AGENTS, id, fmt('x %d %s %s %s %s - 0 0 - -', capacity, qs, profile, int(now_ms), ttl))
else
  local serving = a.state ~= 'x'
  if serving and a.queues ~= qs then online(a, -1) end
  local moved = a.queues ~= qs
  a.capacity, a.queues, a.profile, a.ttl = capacity, qs, profile, ttl + 0
  if serving and moved then online(a, 1) end
  match_agent(a)
  keep_agent(a)
end
--@include close
redis.pcall('PUBLISH', 'timers:new', DESK)
return { 'ok', int(seq) }
