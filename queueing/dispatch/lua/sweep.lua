--[[ dispatch/sweep
Purpose: Does a limited part of the work that has become due: unheard peers, stopped ones, routes of ended lives,
  expired routes, sessions that were not answered, ends of drains, blocks and ejections, and the opening after a loss.
KEYS as dispatch/start
ARGV[1] batch          how many of each kind at most, 1 to 1 000
Reply: [1, more, opened, peers now pending, peers now stopped, routes cleared, expired, freed, now, next];
  more = 1: call again at once; peers are joined by spaces; now and next in µs: nothing is due before next
Errors: [-1, reason]: "no such group", "script outdated …", "malformed batch"
Complexity: O(batch × log n)
Full server: runs
Version: 1
]]
local MOST = 1000
local STOPPED_AT_ONCE = 20 -- stopping empties an outbox
local AGAIN_US = 1000000
local refusal = group.open(KEYS[1])
if refusal then return refusal end
local batch = whole(ARGV[1], 1, MOST)
if not batch then return checks.refusal('malformed batch') end
local stopped_at_once = math.min(batch, STOPPED_AT_ONCE)

-- Members of one of the group's sorted sets whose time has come.
local function due(set, limit)
  if group.is_deaf then return {} end
  return redis.call('ZRANGEBYSCORE', group.tag .. set, '-inf', group.at, 'LIMIT', 0, limit)
end

-- Members whose time is further ahead than a limit: they are of a clock that has stepped back since, or
-- of longer limits.
local function ahead(set, latest, limit)
  return redis.call('ZRANGEBYSCORE', group.tag .. set, '(' .. latest, '+inf', 'LIMIT', 0, limit)
end

-- What is too far ahead counts from now.
local function put_back(limit)
  local disconnect_us = group.conf.disconnect_us
  local silent_at, stops_at = group.after(group.conf.silence_us), group.after(disconnect_us)
  for _, key in ipairs(ahead(':beats', silent_at, limit)) do
    redis.call('ZADD', group.tag .. ':beats', silent_at, key)
  end
  for _, key in ipairs(ahead(':gone', stops_at, limit)) do
    local peer = peers.of(key)
    peer.stops_at = stops_at
    peers.write(peer)
    redis.call('ZADD', group.tag .. ':gone', stops_at, key)
  end
  if group.conf.failure_percent > 0 then health.restore_ahead() end
  if group.conf.status == 'recovering' and group.opens_at and group.opens_at - group.now > disconnect_us then
    group.opens_at = stops_at
    group.set('opens_at', stops_at)
  end
end

-- Silent peers are pending. Returns their keys.
local function pend_silent(limit)
  local keys = due(':beats', limit)
  for _, key in ipairs(keys) do links.pend(peers.of(key), 'silent') end
  return keys
end

-- Peers that have not come back are stopped. Returns their keys.
local function stop_pending(limit)
  local keys = due(':gone', limit)
  for _, key in ipairs(keys) do lives.stop(peers.of(key), 'lost', 'silent') end
  return keys
end

-- A recovering group opens when its time has come. Returns whether it does now.
local function open_recovered()
  local is_due = not group.is_deaf and group.conf.status == 'recovering' and group.opens_at
    and group.opens_at + 0 <= group.now
  if not is_due then return false end
  group.set_conf(settings.with_status(group.conf.text, 'open'))
  redis.call('HDEL', group.tag, 'opens_at')
  group.log('opened')
  return true
end

-- Timed routes and provisional ones whose time has come. Returns how many have expired and were freed.
local function end_routes(sessions_due)
  local expired, freed = 0, 0
  for _, session in ipairs(sessions_due) do
    local route = routes.of(session)
    local is_provisional = route and route.state == 'provisional'
    if not route then
      redis.call('ZREM', group.tag .. ':timers', session)
    elseif not routes.finish(route, is_provisional and 'one end only' or 'expired') then
      redis.call('ZADD', group.tag .. ':timers', group.after(AGAIN_US), session) -- an end has no room for it
    elseif is_provisional then
      freed = freed + 1
    else
      expired = expired + 1
    end
  end
  return expired, freed
end

-- Sessions that their instance has not answered in time have failed. Returns how many were looked at.
local function judge_unanswered(limit)
  local unanswered = due(':answers', limit)
  for _, session in ipairs(unanswered) do
    redis.call('ZREM', group.tag .. ':answers', session)
    local route = routes.of(session)
    local front, back
    if route and route.state == 'live' and route.from_back == '0' then front, back = routes.ends_of(route) end
    if front and back and back.state == 'active' then health.count(back, true, true) end
  end
  return #unanswered
end

-- When anything may be due next: by what there is, and by the shortest that may begin meanwhile.
local function next_due_us()
  local tag, listening = group.tag, group.is_deaf and group.listens_at or 0
  local next_us = group.now + timers.shortest_us()
  next_us = math.min(next_us, math.max(listening, earliest(next_us, tag .. ':beats', tag .. ':gone', tag .. ':timers',
    tag .. ':answers')))
  if group.is_deaf then next_us = math.min(next_us, group.listens_at) end
  if group.conf.status == 'recovering' and group.opens_at then
    next_us = math.min(next_us, math.max(listening, group.opens_at + 0))
  end
  local until_at = group.until_at
  if until_at and until_at ~= '' then next_us = math.min(next_us, math.max(listening, until_at + 0)) end
  local has_lives = redis.call('EXISTS', tag .. ':clear') == 1 -- some have no room for the notification
  if has_lives then next_us = math.min(next_us, group.now + AGAIN_US) end
  return math.max(next_us, group.now)
end

put_back(batch)
names.open_due()
local pending = pend_silent(batch)
local stopped = stop_pending(stopped_at_once)
local opened = open_recovered()
local judged = judge_unanswered(batch)
if group.conf.slow_start_us > 0 then health.weigh_warming() end
local cleared, has_more_lives = clearing.step(batch)
local routes_due = due(':timers', batch)
local expired = group.is_deaf and 0 or clearing.end_old(batch)
local timed, freed = end_routes(routes_due)
expired = expired + timed
group.count('cleared', cleared)
group.count('expired', expired)
group.count('freed', freed)
local next_us = next_due_us()
local is_full_batch = #pending == batch or #routes_due == batch or judged == batch
local more = has_more_lives or is_full_batch or #stopped == stopped_at_once
group.close()
return { '1', more and '1' or '0', opened and '1' or '0', table.concat(pending, ' '), table.concat(stopped, ' '),
  string.format('%d', cleared), string.format('%d', expired), string.format('%d', freed), group.at,
  string.format('%d', next_us) }
