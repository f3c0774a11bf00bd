-- When a group next has something due. dispatch/sweep does it, and the timers visit a group when it is due.
local timers = {}

timers.VISIT_US = 2000000 -- the timers visit every group at least this often

-- The shortest time after which something that begins now may be due, without a message to the timers.
function timers.shortest_us()
  local conf = group.conf
  return math.min(conf.silence_us / 2, conf.disconnect_us, conf.timed_route_us, conf.answer_us, timers.VISIT_US)
end
