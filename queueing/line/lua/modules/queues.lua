-- A queue's settings, which desk/settings.py writes into {desk}:queues.
local queues = {}

queues.MODE = { a = 'automatic', o = 'offer', m = 'manual' }
queues.WITHOUT_AGENTS = { w = 'wait', o = 'overflow', f = 'form', e = 'end' }
queues.RECORD = '^(%a) (%d) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%a) (%d+) (%d+) ?(%d*) ?(%d*) ?(%d*)'
queues.WRITTEN = '^[aom] [01] %d+ %d+ %d+ %d+ %d+ %d+ %d+ %d+ [wofe] %d+ %d+ %d+ %d+ %d+$'
queues.ROOM_GRACE_SECONDS = 90 -- if an earlier release has written the settings
queues.AGENT_GRACE_SECONDS = 60
queues.DECLINE_SECONDS = 30
queues.TTL_MS = 15000 -- for a room whose queue no longer exists
queues.ROOM_GRACE_MS = 90000
queues.SECOND_MS = 1000
queues.SECOND_US = 1000000
queues.KNOWN = {} -- text → settings: a library parses each text once, not at each call

-- mode and without_agents are words, overflow is a queue's ID ('0' = none), and all other fields are numbers.
function queues.parse(text)
  local known = queues.KNOWN[text]
  if known then return known end
  local mode, open, ttl, grace, offer, misses, wrap_up, longest_wait, most_waiting, overflow, without_agents, no_agent,
    relax, room_grace, agent_grace, decline = string.match(text, queues.RECORD)
  if room_grace == '' then room_grace, agent_grace = queues.ROOM_GRACE_SECONDS, queues.AGENT_GRACE_SECONDS end
  if decline == '' then decline = queues.DECLINE_SECONDS end
  local conf = {
    letter = mode,
    mode = queues.MODE[mode],
    is_open = open == '1',
    ttl_ms = ttl * queues.SECOND_MS,
    grace_ms = grace * queues.SECOND_MS,
    offer_ms = offer * queues.SECOND_MS,
    misses_limit = misses + 0,
    wrap_up_ms = wrap_up * queues.SECOND_MS,
    longest_wait_ms = longest_wait * queues.SECOND_MS,
    most_waiting = most_waiting + 0,
    overflow = overflow,
    without_agents = queues.WITHOUT_AGENTS[without_agents],
    no_agent_ms = no_agent * queues.SECOND_MS,
    relax_us = relax * queues.SECOND_US,
    room_grace_ms = room_grace * queues.SECOND_MS,
    agent_grace_ms = agent_grace * queues.SECOND_MS,
    decline_ms = decline * queues.SECOND_MS,
  }
  remember(queues.KNOWN, text, conf)
  return conf
end

-- A queue's settings, read once in an operation, or nil if the queue does not exist.
function queues.of(id)
  desk.settings = desk.settings or {}
  local conf = desk.settings[id]
  if conf == nil then
    local text = redis.call('HGET', desk.tag .. ':queues', id)
    conf = text and queues.parse(text)
    desk.settings[id] = conf
  end
  return conf or nil
end

-- How long a visitor's heartbeat is valid.
function queues.ttl_ms(id)
  local conf = queues.of(id)
  return conf and conf.ttl_ms or queues.TTL_MS
end

-- The IDs of all queues.
function queues.ids()
  return redis.call('HKEYS', desk.tag .. ':queues')
end

-- The ID as text from an agent's list, where it has six digits.
function queues.id_of(digits)
  return int(digits + 0)
end

-- How many agents are online for a queue.
function queues.online(id)
  return (desk.field('online:' .. id) or 0) + 0
end

-- Whether a visit may move into this queue: it exists and is not full.
function queues.takes(id)
  local conf = queues.of(id)
  return conf ~= nil and lines.waiting_in(id) < conf.most_waiting
end
