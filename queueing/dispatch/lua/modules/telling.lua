-- A route as replies have it.
local telling = {}

-- Adds twelve values to a reply.
function telling.add(reply, route)
  local back = peers.back(route.back)
  local words = {
    route.session,
    route.back,
    back and back.name or '',
    telling.is_live(route) and '1' or '0',
    route.started,
    route.deadline,
    redis.call('ZSCORE', group.tag .. ':timers', route.session)
      or string.format('%d', route.started + group.conf.route_us),
    routes.flags(route),
    route.from_front,
    route.from_back,
    route.why,
    route.offered,
  }
  for place = 1, #words do reply[#reply + 1] = words[place] end
end

-- Whether the route is neither expired nor void. A route is live while one end must still be told, or if only one end
-- has named it.
function telling.is_live(route)
  if routes.is_past(route) then return false end
  if route.state == 'ending' then return true end
  local front, back = routes.ends_of(route)
  if route.state == 'provisional' then return front or back end
  return front and back
end
