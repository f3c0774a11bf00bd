-- What time brings, a bounded piece at a time, and when it brings something again. While the group is
-- deaf nobody is called silent, stopped or expired.
local timers = {}

timers.VISIT_US = 2000000 -- the timers visit every group at least so often
timers.AGAIN_US = 1000000
timers.STOPPED_AT_ONCE = 20 -- stopping empties an outbox

-- The shortest time after which something may be due that begins now, without an announcement to the
-- timers.
function timers.shortest_us()
  local conf = group.conf
  return math.min(conf.silence_us / 2, conf.disconnect_us, conf.timed_route_us, timers.VISIT_US)
end

-- Members of one of the group's sorted sets whose time has come.
function timers.due(set, limit)
  if group.is_deaf then return {} end
  return redis.call('ZRANGEBYSCORE', group.tag .. set, '-inf', group.at, 'LIMIT', 0, limit)
end

-- Members whose time is further ahead than a limit: they are of a clock that has stepped back since, or
-- of longer limits.
function timers.ahead(set, latest, limit)
  return redis.call('ZRANGEBYSCORE', group.tag .. set, '(' .. latest, '+inf', 'LIMIT', 0, limit)
end

function timers.put_back(limit)
  local disconnect_us = group.conf.disconnect_us
  local silent_at, stops_at = group.after(group.conf.silence_us), group.after(disconnect_us)
  for _, key in ipairs(timers.ahead(':beats', silent_at, limit)) do
    redis.call('ZADD', group.tag .. ':beats', silent_at, key)
  end
  for _, key in ipairs(timers.ahead(':gone', stops_at, limit)) do
    local peer = peers.of(key)
    peer.stops_at = stops_at
    peers.write(peer)
    redis.call('ZADD', group.tag .. ':gone', stops_at, key)
  end
  if group.conf.status == 'recovering' and group.opens_at and group.opens_at - group.now > disconnect_us then
    group.opens_at = stops_at
    group.set('opens_at', stops_at)
  end
end

-- Silent peers are pending. Returns their keys.
function timers.pend_silent(limit)
  local keys = timers.due(':beats', limit)
  for _, key in ipairs(keys) do links.pend(peers.of(key), 'silent') end
  return keys
end

-- Peers that have not come back are stopped. Returns their keys.
function timers.stop_pending(limit)
  local keys = timers.due(':gone', limit)
  for _, key in ipairs(keys) do lives.stop(peers.of(key), 'lost', 'silent') end
  return keys
end

-- A recovering group opens when its time has come. Returns whether it does now.
function timers.open()
  local is_due = not group.is_deaf and group.conf.status == 'recovering' and group.opens_at
    and group.opens_at + 0 <= group.now
  if not is_due then return false end
  group.set_conf(settings.with_status(group.conf.text, 'open'))
  redis.call('HDEL', group.tag, 'opens_at')
  group.log('opened')
  return true
end

-- Timed routes and provisional ones whose time has come. Returns how many have expired and were freed.
function timers.end_routes(sessions_due)
  local expired, freed = 0, 0
  for _, session in ipairs(sessions_due) do
    local route = routes.of(session)
    local is_provisional = route and route.state == 'provisional'
    if not route then
      redis.call('ZREM', group.tag .. ':timers', session)
    elseif not routes.finish(route, is_provisional and 'one end only' or 'expired') then
      redis.call('ZADD', group.tag .. ':timers', group.after(timers.AGAIN_US), session) -- an end has no room for it
    elseif is_provisional then
      freed = freed + 1
    else
      expired = expired + 1
    end
  end
  return expired, freed
end

-- When anything may be due next: by what there is, and by the shortest that may begin meanwhile.
function timers.next_us()
  local tag, listening = group.tag, group.is_deaf and group.listens_at or 0
  local next_us = group.now + timers.shortest_us()
  next_us = math.min(next_us, math.max(listening, earliest(next_us, tag .. ':beats', tag .. ':gone', tag .. ':timers')))
  if group.is_deaf then next_us = math.min(next_us, group.listens_at) end
  if group.conf.status == 'recovering' and group.opens_at then
    next_us = math.min(next_us, math.max(listening, group.opens_at + 0))
  end
  local until_at = group.until_at
  if until_at and until_at ~= '' then next_us = math.min(next_us, math.max(listening, until_at + 0)) end
  local has_lives = redis.call('EXISTS', tag .. ':clear') == 1 -- some have no room to be told
  if has_lives then next_us = math.min(next_us, group.now + timers.AGAIN_US) end
  return math.max(next_us, group.now)
end
