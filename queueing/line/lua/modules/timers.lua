-- What time brings: {desk}:timers has a letter and an id, by the ms at which it is due.
local timers = {}

timers.VISITOR = 'v' -- a visitor falls silent; one whose visit has ended is forgotten
timers.AGENT = 'a' -- an agent falls silent
timers.OFFER = 'o' -- the offer that an agent has is over
timers.WRAP_UP = 'w' -- an agent's wrap-up is over
timers.LONGEST_WAIT = 'm' -- a visitor has waited as long as its queue allows
timers.RELAX = 'x' -- the skills that a visitor needs relax
timers.NOBODY = 'n' -- nobody has served a queue for long
timers.DECLINES = 'd' -- without an id: which declined offers still count
timers.NAME = '^(%a)(.*)$'

-- Sets a timer, by letter and id, to a time in ms.
function timers.set(name, at_ms)
  redis.call('ZADD', desk.tag .. ':timers', int(at_ms), name)
end

-- The same, so many ms from now.
function timers.start(name, ms)
  redis.call('ZADD', desk.tag .. ':timers', int(desk.now_ms + ms), name)
end

function timers.stop(...)
  redis.call('ZREM', desk.tag .. ':timers', ...)
end

-- When it is due, in ms as text; false = there is no such timer.
function timers.due(name)
  return redis.call('ZSCORE', desk.tag .. ':timers', name)
end

-- A visitor waits as long as its queue allows, counted from the arrival. earliest_ms: not over before, where given.
function timers.start_longest_wait(visit, conf, earliest_ms)
  if conf.longest_wait_ms == 0 then return end
  local ends_ms = visit.joined / desk.MS_US + conf.longest_wait_ms
  timers.set(timers.LONGEST_WAIT .. visit.id, math.max(earliest_ms or 0, ends_ms))
end

-- What a visitor needs falls by one level at each step of waiting.
function timers.start_relax(visit, conf)
  if visit.need ~= '0' and conf.relax_us > 0 then timers.start(timers.RELAX .. visit.id, conf.relax_us / desk.MS_US) end
end
