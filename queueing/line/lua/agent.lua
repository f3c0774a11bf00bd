--[[ line/agent
Purpose: Writes or deletes an agent's permissions. Rooms that it has continue.
KEYS as line/show
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
local MOST_DIGITS, MOST_CAPACITY = 12, 20

-- One that has never been online; it is not written yet.
local function new_agent(id, capacity, its_queues, profile, ttl_ms)
  return { id = id, state = 'offline', capacity = capacity, queues = its_queues, profile = profile, since = desk.at_ms,
    ttl_ms = ttl_ms, pending = 'nothing', misses = 0, login = '0', slots = '-', word = '-', listed = '' }
end

local refusal = desk.open(KEYS[1])
if refusal then return refusal end
local id, capacity, its_queues, needed = ARGV[1] or '', ARGV[2] or '', ARGV[3] or '-', ARGV[4] or ''
local ttl_ms = ARGV[5] or '15000'
local slots = whole(capacity, 0, MOST_CAPACITY)
if #id > MOST_DIGITS or not string.find(id, '^[1-9]%d*$') then return { 'malformed agent' } end
if not slots then return { 'malformed capacity' } end
if its_queues ~= '-' and not string.find(its_queues, '^[%d,]+$') then return { 'malformed queues' } end
if skills.are_malformed(needed) then return { 'malformed skills' } end
if not string.find(ttl_ms, '^%d+$') then return { 'malformed ttl' } end
local agent = agents.read(id)
if slots == 0 then
  if not agent then return desk.answer('repeat') end
  if agent.state ~= 'offline' then return desk.answer('in_use') end
  redis.call('HDEL', desk.tag .. ':agents', id)
  return desk.answer('ok')
end
local profile = skills.number_of_profile(needed)
if not profile then return { 'malformed skills' } end

if not agent then
  agents.write(new_agent(id, slots, its_queues, profile, ttl_ms + 0))
else
  local moves = agent.queues ~= its_queues
  local serves = moves and agent.state ~= 'offline'
  if serves then presence.count_online(agent, -1) end
  if moves then agents.unlist(agent) end
  agent.capacity, agent.queues, agent.profile, agent.ttl_ms = slots, its_queues, profile, ttl_ms + 0
  if serves then presence.count_online(agent, 1) end
  matching.match_and_write(agent)
end
desk.close()
tell_timers(desk.tag)
return desk.answer('ok')
