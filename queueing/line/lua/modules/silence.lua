-- People who are not heard: no heartbeat for the time to live, although people could be heard. A sweep or a match makes
-- them away, whichever comes first. A match never makes a visitor lost.
-- Rarely needed.
local silence = {}

silence.BELIEVED_MS = 5000 -- without a sweep for this long, the service was away
silence.PASSED_OVER_AT_ONCE = 20

-- Whether people could be heard for this many ms. A sweep passes the time; other operations read what a sweep has
-- stored.
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

-- Whether a timer has passed by which a heartbeat was due.
function silence.is_over(name, ms)
  local due = timers.due(name)
  return due and due + 0 <= desk.now_ms and silence.heard_for(ms)
end

function silence.of_agent(agent)
  return not agent.away and silence.is_over(timers.AGENT .. agent.id, agent.ttl_ms)
end

-- For a visitor who is waiting, offered or in a room, and is not away.
function silence.of_visitor(visit)
  return silence.is_over(timers.VISITOR .. visit.id, queues.ttl_ms(visit.queue))
end

-- How long a visitor may be unheard before something happens, in ms.
function silence.limit_of(visit)
  local conf = queues.of(visit.queue)
  if visit.state == 'away' and conf then return conf.grace_ms end
  if visits.is_away_in_room(visit) then return conf and conf.room_grace_ms or queues.ROOM_GRACE_MS end
  return queues.ttl_ms(visit.queue)
end

-- One operation passes over a limited number of unheard people, and leaves the rest to the next one.
function silence.may_pass_over()
  desk.passed_over = desk.passed_over + 1
  return desk.passed_over <= silence.PASSED_OVER_AT_ONCE
end
