-- Who is in line, and which agents are free: three sorted sets whose scores are all 0, so that they are in
-- lexical order. What an entry begins with has fixed columns, the visit's or agent's id comes after a colon:
--   {desk}:waiting   queue 6, class 1, ticket 16             everybody in a queue
--   {desk}:ready     queue 6, need 2, class 1, ticket 16     those who can be matched
--   {desk}:free      queue 6, profile 2, rooms 2, ms idle since 13     agents that can take a visitor
local lines = {}

lines.WAITING = ':waiting'
lines.READY = ':ready'
lines.FREE = ':free'
lines.ENTRY = '^%d%d%d%d%d%d%d%d(%d*):(.*)$' -- of ready and free: the order within a queue and its skills, the id
lines.FREE_ENTRY = '^%d%d%d%d%d%d(%d*):(.*)$' -- of free, with the profile
lines.CLASSES = 9
lines.NO_NEED = '00'
lines.ID = '^[^:]*:(.*)$'

-- The start of a queue's entries; an agent's list has it for each of its queues.
function lines.of_queue(queue)
  return string.format('%06d', queue)
end

-- The start of a queue's entries in ready and free for one set of skills: `number` of a need, or of a profile.
function lines.of_skills(queue, number)
  return string.format('%06d%02d', queue, number)
end

function lines.waiting_entry(queue, class, ticket, id)
  return lines.of_queue(queue) .. class .. ticket .. ':' .. id
end

function lines.ready_entry(queue, need, class, ticket, id)
  return lines.of_skills(queue, need) .. class .. ticket .. ':' .. id
end

-- Of entries with one start the first: its order and its id; nil = there is none. passed_over: a set of ids that do
-- not count, where there is one.
function lines.head(name, start, passed_over)
  if passed_over then return lines.head_but(name, start, passed_over) end
  local entry = redis.call('ZRANGEBYLEX', desk.tag .. name, '[' .. start, '(' .. start .. '~', 'LIMIT', 0, 1)[1]
  if entry then return string.match(entry, lines.ENTRY) end
end

-- The first one whose id is not in this set.
function lines.head_but(name, start, passed_over)
  for _, entry in ipairs(lines.some(name, start, declines.MOST + 1)) do
    local order, id = string.match(entry, lines.ENTRY)
    if not passed_over[id] then return order, id end
  end
end

-- The first entries with one start.
function lines.some(name, start, most)
  return redis.call('ZRANGEBYLEX', desk.tag .. name, '[' .. start, '(' .. start .. '~', 'LIMIT', 0, most)
end

function lines.count(name, start)
  return redis.call('ZLEXCOUNT', desk.tag .. name, '[' .. start, '(' .. start .. '~')
end

-- The id of a visit or an agent.
function lines.id_of(entry)
  return string.match(entry, lines.ID)
end

function lines.waiting_in(queue)
  return lines.count(lines.WAITING, lines.of_queue(queue))
end

-- How many are before a visit in its queue, those who are away among them.
function lines.ahead_of(visit)
  local start = lines.of_queue(visit.queue)
  return redis.call('ZLEXCOUNT', desk.tag .. ':waiting', '[' .. start, '(' .. start .. visit.class .. visit.ticket)
end
