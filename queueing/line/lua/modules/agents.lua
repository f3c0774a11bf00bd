-- Agents. A record in {desk}:agents: letter of the state, capacity, queues (six digits each, separated by commas),
-- profile (the number of its set of skills), since (ms idle), ttl (ms), pending, misses, login (ms), slots, word
-- (reason of the pause). pending: what happens when the last room ends, after a<ms> if the agent has been away since
-- then. slots, separated by commas: r<visit> a room, o<visit> an offer, w<ms> a wrap-up until then; '-' = none.
local agents = {}

agents.LETTER = { online = 'o', paused = 'p', offline = 'x' }
agents.STATE = { o = 'online', p = 'paused', x = 'offline' }
agents.PENDING = { ['-'] = 'nothing', p = 'pause', l = 'logout', d = 'one step' } -- one step: no new visitor in it
agents.PENDING_LETTER = { nothing = '-', pause = 'p', logout = 'l', ['one step'] = 'd' }
agents.RECORD = '^(%a) (%d+) (%S+) (%d%d) (%d+) (%d+) a?(%d*)(%D) (%d+) (%d+) (%S+) (.*)$'
agents.ROOM = 'r'
agents.OFFER = 'o'
agents.WRAP_UP = 'w'
agents.SLOT = '(%a)([^,]+)'
agents.QUEUE = '%d+'

-- away: ms since when, nil if the agent is heard. used, rooms, offered: counted from the slots. listed: the agent's
-- entry in the list of free agents in Redis, or ''.
function agents.parse(id, record)
  local letter, capacity, its_queues, profile, since, ttl, away, pending, misses, login, slots, word =
    string.match(record, agents.RECORD)
  local agent = {
    id = id,
    state = agents.STATE[letter],
    capacity = capacity + 0,
    queues = its_queues,
    profile = profile,
    since = since,
    ttl_ms = ttl + 0,
    pending = agents.PENDING[pending],
    misses = misses + 0,
    login = login,
    slots = slots,
    word = word,
    used = 0,
    rooms = 0,
    listed = '',
  }
  if away ~= '' then agent.away = away end
  agents.count(agent)
  agent.listed = agents.place(agent)
  return agent
end

-- The agent, or nil.
function agents.read(id)
  local record = redis.call('HGET', desk.tag .. ':agents', id)
  return record and agents.parse(id, record) or nil
end

function agents.write(agent)
  if agent.state == 'offline' then agent.away = nil end
  local away = agent.away and 'a' .. agent.away or ''
  redis.call('HSET', desk.tag .. ':agents', agent.id, agents.LETTER[agent.state] .. ' ' .. agent.capacity .. ' '
    .. agent.queues .. ' ' .. agent.profile .. ' ' .. agent.since .. ' ' .. agent.ttl_ms .. ' ' .. away
    .. agents.PENDING_LETTER[agent.pending] .. ' ' .. agent.misses .. ' ' .. agent.login .. ' ' .. agent.slots .. ' '
    .. agent.word)
  local place = agents.place(agent)
  if place == agent.listed then return end
  agents.unlist(agent)
  if place ~= '' then
    for start in string.gmatch(agent.queues, agents.QUEUE) do
      redis.call('ZADD', desk.tag .. ':free', 0, start .. place .. ':' .. agent.id)
    end
  end
  agent.listed = place
end

-- Removes the agent from the list of free agents, before its queues or its place change.
function agents.unlist(agent)
  if agent.listed == '' then return end
  for start in string.gmatch(agent.queues, agents.QUEUE) do
    redis.call('ZREM', desk.tag .. ':free', start .. agent.listed .. ':' .. agent.id)
  end
  agent.listed = ''
end

-- The agent's place in the list of free agents: the columns after the queue, or '' if it can't take a visitor.
function agents.place(agent)
  if agent.state ~= 'online' or agent.away or agent.pending ~= 'nothing' or agent.used >= agent.capacity
    or agent.offered then return '' end
  return string.format('%s%02d%s', agent.profile, agent.rooms, agent.since)
end

-- Iterates over the slots: the letter of the kind, and the visit or the ms.
function agents.slots_of(agent)
  return string.gmatch(agent.slots, agents.SLOT)
end

function agents.count(agent)
  local used, rooms, offered = 0, 0, nil
  for kind, visit in string.gmatch(agent.slots, agents.SLOT) do
    used = used + 1
    if kind ~= agents.WRAP_UP then rooms = rooms + 1 end
    if kind == agents.OFFER then offered = visit end
  end
  agent.used, agent.rooms, agent.offered = used, rooms, offered
end

-- Adds a slot: the letter of its kind, and the visit or the ms.
function agents.add_slot(agent, kind, id)
  agent.slots = agent.slots == '-' and kind .. id or agent.slots .. ',' .. kind .. id
  agent.used = agent.used + 1
  if kind ~= agents.WRAP_UP then agent.rooms = agent.rooms + 1 end
  if kind == agents.OFFER then agent.offered = id end
end

function agents.drop_slot(agent, kind, id)
  if agent.slots == kind .. id then -- the only slot, as for most agents
    agent.slots, agent.used, agent.rooms, agent.offered = '-', 0, 0, nil
    return
  end
  local kept = {}
  for its_kind, its_id in agents.slots_of(agent) do
    if its_kind ~= kind or its_id ~= id then kept[#kept + 1] = its_kind .. its_id end
  end
  agents.set_slots(agent, kept)
end

function agents.set_slots(agent, slots)
  agent.slots = #slots > 0 and table.concat(slots, ',') or '-'
  agents.count(agent)
end

-- The reply of login, pause, agent_state and agent_beat.
function agents.reply(word, agent)
  local token = agent.offered and visits.read(agent.offered).token or ''
  return { word, desk.seq_text, agents.LETTER[agent.state], agents.PENDING_LETTER[agent.pending], agent.slots,
    agent.word, token }
end

-- The reply of finish and ready.
function agents.short_reply(word, agent)
  return { word, desk.seq_text, agents.LETTER[agent.state], agent.slots }
end
