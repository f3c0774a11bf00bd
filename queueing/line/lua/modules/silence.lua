-- Who is silent: not heard for the time to live, while people could be heard. A sweep and a match mark such a one
-- as away, whichever comes first; nobody is lost by a match.
-- Rarely needed.
local silence = {}

silence.BELIEVED_MS = 5000 -- what no sweep has confirmed for so long is not believed: the service was away
silence.PASSED_OVER_AT_ONCE = 20

-- Whether people could be heard for so many ms. A sweep is told it, others read what a sweep has stored.
function silence.heard_for(ms)
  desk.heard_since = desk.heard_since or silence.stored_heard_since()
  return desk.heard_since + ms <= desk.now_ms
end

function silence.stored_heard_since()
  local heard, walked, steady = unpack(redis.call('HMGET', desk.tag, 'heard', 'walked', 'steady'))
  local since = tonumber(heard or '')
  if not since or math.abs(desk.now_ms - (walked or 0)) >= silence.BELIEVED_MS then return desk.now_ms end
  return math.max(since, (steady or 0) + 0)
end

-- Whether a timer is over by which somebody should have been heard.
function silence.is_over(name, ms)
  local due = timers.due(name)
  return due and due + 0 <= desk.now_ms and silence.heard_for(ms)
end

function silence.of_agent(agent)
  return not agent.away and silence.is_over(timers.AGENT .. agent.id, agent.ttl_ms)
end

-- Of one who waits, has an offer or is in a room, and is not away.
function silence.of_visitor(visit)
  return silence.is_over(timers.VISITOR .. visit.id, queues.ttl_ms(visit.queue))
end

-- For how long a visitor can be silent before something follows, in ms.
function silence.limit_of(visit)
  local conf = queues.of(visit.queue)
  if visit.state == 'away' and conf then return conf.grace_ms end
  if visits.is_away_in_room(visit) then return conf and conf.room_grace_ms or queues.ROOM_GRACE_MS end
  return queues.ttl_ms(visit.queue)
end

-- A call passes over so many silent ones and leaves the rest to the next one.
function silence.may_pass_over()
  desk.passed_over = desk.passed_over + 1
  return desk.passed_over <= silence.PASSED_OVER_AT_ONCE
end
