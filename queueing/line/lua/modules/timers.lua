-- Timers: {desk}:timers has a letter and an ID, by the ms at which it is due.
local timers = {}

timers.VISITOR = 'v' -- a visitor is not heard; a visit that has ended is deleted
timers.AGENT = 'a' -- an agent is not heard
timers.OFFER = 'o' -- an agent's offer expires
timers.WRAP_UP = 'w' -- an agent's wrap-up ends
timers.LONGEST_WAIT = 'm' -- a visitor has waited for its queue's longest wait
timers.RELAX = 'x' -- the skills that a visitor needs relax
timers.NOBODY = 'n' -- a queue has had no agents for long
timers.DECLINES = 'd' -- without an ID: which declined offers are still valid
timers.NAME = '^(%a)(.*)$'

-- Sets a timer, by letter and ID, to a time in ms.
function timers.set(name, at_ms)
  redis.call('ZADD', desk.tag .. ':timers', int(at_ms), name)
end

-- Sets a timer to this many ms from now.
function timers.start(name, ms)
  redis.call('ZADD', desk.tag .. ':timers', int(desk.now_ms + ms), name)
end

function timers.stop(...)
  redis.call('ZREM', desk.tag .. ':timers', ...)
end

-- When the timer is due, in ms as text, or false if there is no such timer.
function timers.due(name)
  return redis.call('ZSCORE', desk.tag .. ':timers', name)
end

-- A visitor's longest wait, counted from its arrival.
function timers.start_longest_wait(visit, conf)
  if conf.longest_wait_ms == 0 then return end
  timers.set(timers.LONGEST_WAIT .. visit.id, math.floor(visit.joined / desk.MS_US + 0.5) + conf.longest_wait_ms)
end

-- A visitor's longest wait, counted from now: the visitor comes from a room or another queue, or back to a desk that
-- had forgotten it.
function timers.restart_longest_wait(visit, conf)
  local name = timers.LONGEST_WAIT .. visit.id
  if conf.longest_wait_ms > 0 then timers.start(name, conf.longest_wait_ms) else timers.stop(name) end
end

-- The levels that a visitor needs fall by one at each step of waiting.
function timers.start_relax(visit, conf)
  if visit.need ~= '0' and conf.relax_us > 0 then timers.start(timers.RELAX .. visit.id, conf.relax_us / desk.MS_US) end
end
