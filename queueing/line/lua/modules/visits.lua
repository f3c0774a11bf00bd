-- Visits. A record in {desk}:visits: letter of the state, queue, class, ticket (µs of the arrival, made unique: the
-- place), joined (µs of the arrival), need, agent, since (ms), token of an offer (in a room: since when its visitor is
-- away, in ms), word (why this agent, how it ended, or why it left its room: transfer, returned). '-' = none.
local visits = {}

visits.LETTER = { waiting = 'w', away = 'a', offered = 'o', room = 'r', ended = 'e' }
visits.STATE = { w = 'waiting', a = 'away', o = 'offered', r = 'room', e = 'ended' }
visits.IN_LINE = { waiting = true, away = true, offered = true }
visits.RECORD = '^(%a) (%d+) (%d) (%d+) (%d+) (%d+) (%S+) (%d+) (%S+) (.*)$'
visits.CLASS = '^[1-9]$'
visits.REMEMBERED_MS = 600000 -- how long a visit is stored after its end

-- All fields except the state are texts. Those with _before are what Redis has.
function visits.parse(id, record)
  local letter, queue, class, ticket, joined, need, agent, since, token, word = string.match(record, visits.RECORD)
  local state = visits.STATE[letter]
  return {
    id = id,
    state = state,
    queue = queue,
    class = class,
    ticket = ticket,
    joined = joined,
    need = need,
    agent = agent,
    since = since,
    token = token,
    word = word,
    state_before = state,
    queue_before = queue,
    class_before = class,
    ticket_before = ticket,
    need_before = need,
  }
end

-- The visit, or nil.
function visits.read(id)
  local record = redis.call('HGET', desk.tag .. ':visits', id)
  return record and visits.parse(id, record) or nil
end

-- A visit that begins to wait now. It is not written yet. ticket, joined: texts.
function visits.new(id, queue, class, ticket, joined, need)
  return { id = id, state = 'waiting', queue = queue, class = class, ticket = ticket, joined = joined, need = need,
    agent = '-', since = desk.at_ms, token = '-', word = '-' }
end

function visits.write(visit)
  local line = visit.queue .. ' ' .. visit.class .. ' ' .. visit.ticket .. ' ' .. visit.joined .. ' ' .. visit.need
  redis.call('HSET', desk.tag .. ':visits', visit.id, visits.LETTER[visit.state] .. ' ' .. line .. ' ' .. visit.agent
    .. ' ' .. visit.since .. ' ' .. visit.token .. ' ' .. visit.word)
  visits.move_in_line(visit)
  visit.state_before, visit.queue_before, visit.class_before = visit.state, visit.queue, visit.class
  visit.ticket_before, visit.need_before = visit.ticket, visit.need
end

-- Whether the visit has another place than before.
function visits.has_moved(visit)
  return visit.queue_before ~= visit.queue or visit.class_before ~= visit.class or visit.ticket_before ~= visit.ticket
end

-- Moves its entries in waiting and ready from what Redis has to what the visit is now.
function visits.move_in_line(visit)
  local id, state, state_before = visit.id, visit.state, visit.state_before
  local was_in, is_in = visits.IN_LINE[state_before], visits.IN_LINE[state]
  local moved = visits.has_moved(visit)
  if was_in and (moved or not is_in) then
    redis.call('ZREM', desk.tag .. ':waiting',
      lines.waiting_entry(visit.queue_before, visit.class_before, visit.ticket_before, id))
  end
  if is_in and (moved or not was_in) then
    redis.call('ZADD', desk.tag .. ':waiting', 0, lines.waiting_entry(visit.queue, visit.class, visit.ticket, id))
  end
  moved = moved or visit.need_before ~= visit.need
  if state_before == 'waiting' and (moved or state ~= 'waiting') then
    redis.call('ZREM', desk.tag .. ':ready',
      lines.ready_entry(visit.queue_before, visit.need_before, visit.class_before, visit.ticket_before, id))
  end
  if state == 'waiting' and (moved or state_before ~= 'waiting') then
    redis.call('ZADD', desk.tag .. ':ready', 0,
      lines.ready_entry(visit.queue, visit.need, visit.class, visit.ticket, id))
  end
end

-- How the line changes with this visit, for the history, before the visit is written: + it joins, -q:c:t it leaves that
-- place, ~q:c:t it moves from there to its own queue, class and ticket.
function visits.movement(visit)
  local was_in, is_in = visits.IN_LINE[visit.state_before], visits.IN_LINE[visit.state]
  if visit.is_logged then -- its join is already in the history
    return is_in and '' or '-' .. visit.queue .. ':' .. visit.class .. ':' .. visit.ticket
  end
  if not was_in then return is_in and '+' or '' end
  if is_in and not visits.has_moved(visit) then return '' end
  local before = visit.queue_before .. ':' .. visit.class_before .. ':' .. visit.ticket_before
  return (is_in and '~' or '-') .. before
end

-- Writes a history entry about a visit and its place. More names and values may follow.
function visits.log(kind, visit, ...)
  desk.log(kind, 'v', visit.id, 'q', visit.queue, 'c', visit.class, 't', visit.ticket, ...)
end

-- Writes a history entry about a visit and an agent, which come first.
function visits.log_with(kind, visit, agent, ...)
  desk.log(kind, 'v', visit.id, 'a', agent, 'q', visit.queue, 'c', visit.class, 't', visit.ticket, ...)
end

-- Whether the visitor left its room without a word. The room is kept for a while.
function visits.is_away_in_room(visit)
  return visit.state_before == 'room' and visit.token ~= '-'
end

-- The reply about any visit while the desk's data is not reliable. The visit may be in SQL.
function visits.recovering()
  return { 'gone', desk.seq_text, '0', '-', '0', '0', '0', '0', 'recovering' }
end

-- The reply of join, beat, place, leave and transfer.
function visits.reply(visit)
  local ahead = visits.IN_LINE[visit.state] and lines.ahead_of(visit) or 0
  return { visit.state, desk.seq_text, int(ahead), visit.agent, visit.queue, visit.class, visit.ticket, visit.joined,
    visit.word }
end
