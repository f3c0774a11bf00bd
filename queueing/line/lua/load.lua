--[[ line/load
Purpose: Loads running visits after a loss. Each waits, or is in a room of an agent who is online again.
KEYS as line/show
ARGV[1+] visit          six words each: visit, queue, class, arrival µs, agent or "-", skills or ""
Reply: [answer, seq, how many]
Errors: "no such desk", "script outdated …", "malformed …"
Complexity: O(visits × log n)
Version: 1
]]
local WORDS, MOST_VISITS = 6, 1000

-- The room of an agent who is online again by this, where there is a slot.
local function put_in_room(visit, agent_id)
  local agent = agent_id ~= '-' and agents.read(agent_id)
  if not agent or agent.capacity <= agent.used then return end
  if agent.state == 'offline' then
    agent.state, agent.login, agent.since = 'online', desk.at_ms, desk.at_ms
    presence.count_online(agent, 1)
    presence.beat_agent(agent)
    desk.log('login', 'a', agent.id, 'w', 'recovered')
  end
  visit.state, visit.agent = 'room', agent_id
  agents.add_slot(agent, agents.ROOM, visit.id)
  agents.write(agent)
end

-- Returns whether the visit was put back: it is well-formed and was not there.
local function put_back(id, queue, class, arrived, agent_id, needed)
  local conf = queues.of(queue)
  local is_right = conf and string.find(class, visits.CLASS) and string.find(arrived, '^%d+$')
  if not is_right or redis.call('HEXISTS', desk.tag .. ':visits', id) == 1 then return false end
  local joined = int(math.min(arrived + 0, desk.now))
  local visit = visits.new(id, queue, class, arrived, joined, skills.number_of_need(needed) or '0')
  put_in_room(visit, agent_id)
  local movement = visits.movement(visit)
  visits.write(visit)
  presence.beat_visitor(visit)
  if visit.state == 'waiting' then timers.restart_longest_wait(visit, conf) end
  visits.log_with('loaded', visit, visit.agent, 'd', movement)
  if arrived + 0 > desk.ticket + 0 then desk.ticket = arrived end
  return true
end

local refusal = desk.open(KEYS[1])
if refusal then return refusal end
if #ARGV % WORDS ~= 0 or #ARGV > WORDS * MOST_VISITS then return { 'malformed visits' } end
local count = 0
for first = 1, #ARGV, WORDS do
  if put_back(unpack(ARGV, first, first + WORDS - 1)) then count = count + 1 end
end
desk.close()
tell_timers(desk.tag)
return { 'ok', int(desk.seq), int(count) }
