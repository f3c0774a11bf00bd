-- Offers that an agent has declined or missed. For the queue's decline_seconds, the agent is not offered that visitor
-- again while another available agent may serve the visitor. In the desk's hash, "declined": visit:agent:ms,… in order
-- of time.
-- Rarely needed.
local declines = {}

declines.ONE = '([%w_-]+):(%d+):(%d+)'
declines.MOST = 64 -- a desk remembers this many, the latest ones
declines.MOST_AGENTS = 100 -- of all queues; a desk with more is assumed to have another agent
declines.LOOK_MS = 1000 -- how often they are checked, while there are any

-- The remembered declines, read once in an operation.
function declines.all()
  if desk.declines then return desk.declines end
  desk.declines = {}
  for visit, agent, at_ms in string.gmatch(desk.field('declined') or '', declines.ONE) do
    desk.declines[#desk.declines + 1] = { visit = visit, agent = agent, at_ms = at_ms }
  end
  return desk.declines
end

-- How long a decline is still valid, in ms, or nil if it is over. One from the future comes from another clock.
function declines.left_ms(one, conf)
  local ago = desk.now_ms - one.at_ms
  if conf.mode == 'offer' and ago >= 0 and ago < conf.decline_ms then return conf.decline_ms - ago end
end

-- The IDs that a match in this queue passes over, as a set, or nil. own: 'visit' or 'agent', whose ID is given; other:
-- the one of the two that is returned.
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

-- The available agents, whether free or busy, and whether these are all.
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

-- Whether one of these agents may serve the visitor and has not declined it.
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

-- Stores the declines to remember.
function declines.keep(kept)
  while #kept > declines.MOST do table.remove(kept, 1) end
  desk.declines = kept
  local texts = {}
  for place, one in ipairs(kept) do texts[place] = one.visit .. ':' .. one.agent .. ':' .. one.at_ms end
  if #texts > 0 then desk.set('declined', table.concat(texts, ',')) else redis.call('HDEL', desk.tag, 'declined') end
end

-- An agent has declined or missed this visitor. When all available agents have, each may be offered the visitor again.
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

-- How long a decline is valid for a waiting visitor, in ms, or nil if it is over or no other agent may serve the
-- visitor.
function declines.counts_for(one, there, are_all)
  local visit = visits.read(one.visit)
  local conf = visit and visits.IN_LINE[visit.state] and queues.of(visit.queue)
  local left_ms = conf and declines.left_ms(one, conf)
  return left_ms and declines.has_another(visit, conf, there, are_all) and left_ms or nil
end

-- Forgets declines that are no longer valid, and lets their agents look for visitors.
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
