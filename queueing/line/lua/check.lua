--[[ line/check
Purpose: Checks a part of the desk's records against its rules: each visit has one place, no agent exceeds its capacity,
  and no agent is idle while a visitor waits.
KEYS as line/show
ARGV[1] what           visits, agents, waiting, ready, free or idle
ARGV[2] cursor         0 at first, then as the reply said
ARGV[3] count          roughly how many, 1 to 1 000
Reply: [cursor, seq], then pairs: thing, what is wrong
Errors: "no such desk", "script outdated …", "malformed …"
Complexity: O(count × (log n + skill sets))
Version: 1
]]
-- Each of these returns the reply: the next cursor, the last history entry, then pairs.
local function note(reply, thing, text)
  reply[#reply + 1] = thing
  reply[#reply + 1] = text
end

local function has_slot(agent, slot)
  return string.find(',' .. agent.slots .. ',', ',' .. slot .. ',', 1, true) ~= nil
end

-- A visit has the places in the lines that its state asks for, and no others.
local function check_places(visit, reply)
  local id, queue, class, ticket = visit.id, visit.queue, visit.class, visit.ticket
  local in_line = redis.call('ZSCORE', desk.tag .. ':waiting', lines.waiting_entry(queue, class, ticket, id))
  local ready = redis.call('ZSCORE', desk.tag .. ':ready', lines.ready_entry(queue, visit.need, class, ticket, id))
  local waits = visits.IN_LINE[visit.state]
  if waits and not in_line then note(reply, id, 'waits, not in line') end
  if not waits and in_line then note(reply, id, 'in two places') end
  if visit.state == 'waiting' and not ready then note(reply, id, 'waits, not ready') end
  if visit.state ~= 'waiting' and ready then note(reply, id, 'ready, not waiting') end
end

local function of_visits(cursor, count)
  local next_cursor, page = unpack(redis.call('HSCAN', desk.tag .. ':visits', cursor, 'COUNT', count))
  local reply = { next_cursor, int(desk.seq) }
  for place = 1, #page, 2 do
    local visit = visits.parse(page[place], page[place + 1])
    check_places(visit, reply)
    local agent = (visit.state == 'room' or visit.state == 'offered') and agents.read(visit.agent)
    if agent == nil or agent and not has_slot(agent, visits.LETTER[visit.state] .. visit.id) then
      note(reply, visit.id, 'its agent knows nothing of it')
    end
    if not timers.due(timers.VISITOR .. visit.id) then note(reply, visit.id, 'no timer') end
  end
  return reply
end

-- Each room and offer of an agent has its visitor.
local function check_slots(agent, reply)
  for kind, id in agents.slots_of(agent) do
    local visit = kind ~= agents.WRAP_UP and visits.read(id)
    local is_right = kind == agents.WRAP_UP
      or visit and visits.LETTER[visit.state] == kind and visit.agent == agent.id
    if not is_right then note(reply, agent.id, 'room without its visitor') end
  end
end

-- A free agent is in the list of each of its queues.
local function check_listed(agent, reply)
  if agent.listed == '' then return end
  for start in string.gmatch(agent.queues, agents.QUEUE) do
    if not redis.call('ZSCORE', desk.tag .. ':free', start .. agent.listed .. ':' .. agent.id) then
      note(reply, agent.id, 'free, not in the list')
    end
  end
end

local function of_agents(cursor, count)
  local next_cursor, page = unpack(redis.call('HSCAN', desk.tag .. ':agents', cursor, 'COUNT', count))
  local reply = { next_cursor, int(desk.seq) }
  for place = 1, #page, 2 do
    local agent = agents.parse(page[place], page[place + 1])
    local is_online = agent.state ~= 'offline'
    if agent.rooms > agent.capacity then note(reply, agent.id, 'more rooms than capacity') end
    if not is_online and agent.slots ~= '-' then note(reply, agent.id, 'offline with rooms') end
    if is_online and not timers.due(timers.AGENT .. agent.id) then note(reply, agent.id, 'no timer') end
    if agent.pending == 'one step' then note(reply, agent.id, 'held back') end
    check_slots(agent, reply)
    check_listed(agent, reply)
  end
  return reply
end

local function is_free(entry)
  local agent = agents.read(lines.id_of(entry))
  return agent and agent.listed ~= '' and string.match(entry, lines.FREE_ENTRY) == agent.listed
end

local function is_in(what, entry)
  local visit = visits.read(lines.id_of(entry))
  if not visit then return false end
  if what == 'ready' then return visit.state == 'waiting' end
  return visits.IN_LINE[visit.state]
end

-- What the lists have belongs there; what: waiting, ready or free.
local function of_list(what, cursor, count)
  local next_cursor, page = unpack(redis.call('ZSCAN', desk.tag .. ':' .. what, cursor, 'COUNT', count))
  local reply = { next_cursor, int(desk.seq) }
  for place = 1, #page, 2 do
    local entry = page[place]
    local is_right = what == 'free' and is_free(entry) or what ~= 'free' and is_in(what, entry)
    if not is_right then note(reply, lines.id_of(entry), 'listed as ' .. what) end
  end
  return reply
end

-- Nobody waits whom a free agent could serve: the heads of a part of the free agents. `cursor`: how many entries are
-- passed over. Who is silent does not wait, and cannot serve; a sweep or the next match marks it. Nor can who has
-- declined the visitor.
local function of_idle(cursor, count)
  local page = redis.call('ZRANGEBYLEX', desk.tag .. ':free', '-', '+', 'LIMIT', cursor, count)
  local reply = { #page == count and int(cursor + count) or '0', int(desk.seq) }
  if not desk.is_open then return reply end
  for _, entry in ipairs(page) do
    local agent = agents.read(lines.id_of(entry))
    local visit = matching.best_visit(agent)
    if visit and not silence.of_agent(agent) and not silence.of_visitor(visits.read(visit)) then
      note(reply, visit, 'waits while agent ' .. agent.id .. ' is free')
    end
  end
  return reply
end

local refusal = desk.open(KEYS[1])
if refusal then return refusal end
local what, cursor, count = ARGV[1], ARGV[2], words.count(ARGV[3])
if not words.is_cursor(cursor) or not count then return { 'malformed count' } end
if what == 'visits' then return of_visits(cursor, count) end
if what == 'agents' then return of_agents(cursor, count) end
if what == 'waiting' or what == 'ready' or what == 'free' then return of_list(what, cursor, count) end
if what == 'idle' then return of_idle(cursor, count) end
return { 'malformed what' }
