-- Offers that an agent has declined or missed: for the queue's decline_seconds the agent is not offered that visitor
-- again, while another agent who is there may serve it. In the desk's hash, "declined": visit:agent:ms,… by time.
-- Rarely needed.
local declines = {}

declines.ONE = '([%w_-]+):(%d+):(%d+)'
declines.MOST = 64 -- a desk remembers so many, the last ones
declines.MOST_AGENTS = 100 -- so many are looked at, of all queues; a larger desk is taken to have another one
declines.LOOK_MS = 1000 -- so often, while there are any

-- What is remembered, read once in a call.
function declines.all()
  if desk.declines then return desk.declines end
  desk.declines = {}
  for visit, agent, at_ms in string.gmatch(desk.field('declined') or '', declines.ONE) do
    desk.declines[#desk.declines + 1] = { visit = visit, agent = agent, at_ms = at_ms }
  end
  return desk.declines
end

-- How long it still counts, in ms; nil = it is over. One that is ahead of now is of another clock.
function declines.left_ms(one, conf)
  local ago = desk.now_ms - one.at_ms
  if conf.mode == 'offer' and ago >= 0 and ago < conf.decline_ms then return conf.decline_ms - ago end
end

-- Whom a match in this queue passes over, a set of ids; nil = nobody. own: 'visit' or 'agent', whose id is given;
-- other: the one of these two that is asked for.
function declines.passed_over(conf, own, id, other)
  local ids
  for _, one in ipairs(declines.all()) do
    if one[own] == id and declines.left_ms(one, conf) then
      ids = ids or {}
      ids[one[other]] = true
    end
  end
  return ids
end

-- The agents who are there, free or not, and whether these are all.
function declines.agents_there()
  local cursor, page = unpack(redis.call('HSCAN', desk.tag .. ':agents', 0, 'COUNT', declines.MOST_AGENTS))
  local there = {}
  for place = 1, #page, 2 do
    local agent = agents.parse(page[place], page[place + 1])
    local stays = agent.pending == 'nothing' or agent.pending == 'one step'
    if agent.state == 'online' and not agent.away and stays then there[#there + 1] = agent end
  end
  return there, cursor == '0'
end

-- Whether one of these agents may serve a visitor, and has not declined it.
function declines.has_another(visit, conf, there, are_all)
  if not are_all then return true end
  local ids = declines.passed_over(conf, 'visit', visit.id, 'agent') or {}
  local queue, waited_us = lines.of_queue(visit.queue), desk.now - visit.joined
  for _, agent in ipairs(there) do
    local serves = not ids[agent.id] and string.find(agent.queues, queue, 1, true)
    if serves and skills.suffice(visit.need + 0, agent.profile + 0, waited_us, conf.relax_us) then return true end
  end
  return false
end

-- Stores what is remembered from now on.
function declines.keep(kept)
  while #kept > declines.MOST do table.remove(kept, 1) end
  desk.declines = kept
  local texts = {}
  for place, one in ipairs(kept) do texts[place] = one.visit .. ':' .. one.agent .. ':' .. one.at_ms end
  if #texts > 0 then desk.set('declined', table.concat(texts, ',')) else redis.call('HDEL', desk.tag, 'declined') end
end

-- An agent has declined or missed this visitor. When all who are there have, each may be offered it again.
function declines.add(agent, visit)
  local conf = queues.of(visit.queue)
  if not conf or conf.mode ~= 'offer' or conf.decline_ms == 0 then return end
  local others, of_others = {}, {}
  for _, one in ipairs(declines.all()) do
    if one.visit ~= visit.id then of_others[#of_others + 1] = one end
    if one.visit ~= visit.id or one.agent ~= agent.id then others[#others + 1] = one end
  end
  others[#others + 1] = { visit = visit.id, agent = agent.id, at_ms = desk.at_ms }
  desk.declines = others
  declines.keep(declines.has_another(visit, conf, declines.agents_there()) and others or of_others)
  if not timers.due(timers.DECLINES) then timers.start(timers.DECLINES, declines.LOOK_MS) end
end

-- How long one still counts for a visitor that waits, in ms; nil = it is over, or nobody else may serve the visitor.
function declines.counts_for(one, there, are_all)
  local visit = visits.read(one.visit)
  local conf = visit and visits.IN_LINE[visit.state] and queues.of(visit.queue)
  local left_ms = conf and declines.left_ms(one, conf)
  return left_ms and declines.has_another(visit, conf, there, are_all) and left_ms or nil
end

-- What does not count any more is forgotten, and the agents look again.
function declines.look()
  local kept, looking, next_ms = {}, {}, declines.LOOK_MS
  local there, are_all = declines.agents_there()
  for _, one in ipairs(declines.all()) do
    local left_ms = declines.counts_for(one, there, are_all)
    if left_ms then
      kept[#kept + 1] = one
      next_ms = math.min(next_ms, left_ms)
    else
      looking[#looking + 1] = one.agent
    end
  end
  declines.keep(kept)
  if #kept > 0 then timers.start(timers.DECLINES, next_ms) end
  for _, id in ipairs(looking) do
    local agent = agents.read(id)
    if agent then matching.match_and_write(agent) end
  end
end
