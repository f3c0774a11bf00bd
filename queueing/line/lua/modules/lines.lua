-- The visitors in line, and the free agents: three sorted sets in which all scores are 0, so that they are in lexical
-- order. An entry begins with columns of fixed width, followed by a colon and the ID of the visit or agent:
--   {desk}:waiting   queue 6, class 1, ticket 16             all visitors in a queue
--   {desk}:ready     queue 6, need 2, class 1, ticket 16     visitors who can be matched
--   {desk}:free      queue 6, profile 2, rooms 2, ms idle since 13     agents who can take a visitor
local lines = {}

lines.WAITING = ':waiting'
lines.READY = ':ready'
lines.FREE = ':free'
lines.ENTRY = '^%d%d%d%d%d%d%d%d(%d*):(.*)$' -- of ready and free: the order within a queue and its skills, the ID
lines.FREE_ENTRY = '^%d%d%d%d%d%d(%d*):(.*)$' -- of free, with the profile
lines.CLASSES = 9
lines.NO_NEED = '00'
lines.ID = '^[^:]*:(.*)$'
lines.QUEUES = {} -- queue → how its entries begin: a library formats each once, not at each call
lines.SKILLS = {} -- number of a set of skills → its two digits

-- How a queue's entries begin. An agent's list has this for each of its queues.
function lines.of_queue(queue)
  local start = lines.QUEUES[queue]
  if not start then
    start = string.format('%06d', queue)
    remember(lines.QUEUES, queue, start)
  end
  return start
end

-- How a queue's entries in ready and free begin for one set of skills. `number`: of a need, or of a profile.
function lines.of_skills(queue, number)
  local digits = lines.SKILLS[number]
  if not digits then
    digits = string.format('%02d', number)
    remember(lines.SKILLS, number, digits)
  end
  return lines.of_queue(queue) .. digits
end

function lines.waiting_entry(queue, class, ticket, id)
  return lines.of_queue(queue) .. class .. ticket .. ':' .. id
end

function lines.ready_entry(queue, need, class, ticket, id)
  return lines.of_skills(queue, need) .. class .. ticket .. ':' .. id
end

-- The first entry with this beginning: its order and its ID, or nil. passed_over: a set of IDs to skip, or nil.
function lines.head(name, start, passed_over)
  if passed_over then return lines.head_but(name, start, passed_over) end
  local entry = redis.call('ZRANGEBYLEX', desk.tag .. name, '[' .. start, '(' .. start .. '~', 'LIMIT', 0, 1)[1]
  if entry then return string.match(entry, lines.ENTRY) end
end

-- The first entry whose ID is not in this set.
function lines.head_but(name, start, passed_over)
  for _, entry in ipairs(lines.some(name, start, declines.MOST + 1)) do
    local order, id = string.match(entry, lines.ENTRY)
    if not passed_over[id] then return order, id end
  end
end

-- The first entries with this beginning.
function lines.some(name, start, most)
  return redis.call('ZRANGEBYLEX', desk.tag .. name, '[' .. start, '(' .. start .. '~', 'LIMIT', 0, most)
end

function lines.count(name, start)
  return redis.call('ZLEXCOUNT', desk.tag .. name, '[' .. start, '(' .. start .. '~')
end

-- The ID of a visit or an agent.
function lines.id_of(entry)
  return string.match(entry, lines.ID)
end

function lines.waiting_in(queue)
  return lines.count(lines.WAITING, lines.of_queue(queue))
end

-- How many visitors are before a visit in its queue, including those who are away.
function lines.ahead_of(visit)
  local start = lines.of_queue(visit.queue)
  return redis.call('ZLEXCOUNT', desk.tag .. ':waiting', '[' .. start, '(' .. start .. visit.class .. visit.ticket)
end
