-- A front-end begins a session. For the sender and its frame, see inbound.lua.
local starting = {}

-- Begins a session: an instance is chosen, stored and notified. key and ttl: '' = none; is_confirmed: the front-end
-- wants to know which instance accepted it.
function starting.answer(word, key, ttl, body, is_confirmed)
  local front = inbound.sender
  local session = front.id .. '/' .. word
  if not front.is_front then return inbound.refuse('not yours', session) end
  local profile = profiles.OF[front.profile]
  if profile.routes == 'none' then return inbound.refuse('no sessions in this profile', session) end
  local old = routes.of(session)
  if old then
    local its_front, its_back = routes.ends_of(old)
    if starting.is_restored(old, its_front, its_back) then return starting.take_up(old, its_back) end
    if its_front or old.state == 'provisional' then
      return inbound.refuse(old.state == 'ending' and 'session ending' or 'session exists', session)
    end
  end
  local id, reason = choosing.choose(key ~= '' and key or session)
  local back = id and peers.back(id)
  if back and frames.is_full(back) then reason = 'peer full' end
  if reason then return inbound.refuse(reason, session) end
  inbound.accept()
  if old then routes.remove(old) end -- of an earlier life, which no sweep has removed yet
  starting.begin(session, back, key, starting.lasts_us(profile, ttl))
  frames.push(back, 'start', session, front.id, is_confirmed and frames.CONFIRM or '', body)
  if is_confirmed then frames.await(back, 1) end
  group.count('started')
  return inbound.routed(back)
end

-- How long a session that begins now lasts, or nil if it is not timed.
function starting.lasts_us(profile, ttl)
  if ttl ~= '' then return ttl * settings.SECOND_US end
  return profile.routes == 'timed' and group.conf.timed_route_us or nil
end

-- Creates the route of a new session.
function starting.begin(session, back, key, lasts_us)
  local front, sharing = inbound.sender, group.conf.sharing
  if sharing == 'turn' then ready.take_turn(back) end
  local route = {
    session = session,
    front = front.id,
    back = back.id,
    front_epoch = front.epoch,
    back_epoch = back.epoch,
    started = group.at,
    deadline = lasts_us and group.after(lasts_us) or '',
    state = 'live',
    side = '',
    from_front = '0',
    from_back = '0',
    offered = '',
    why = sharing == 'key' and key ~= '' and 'key:' .. key or sharing,
  }
  routes.write(route)
  if lasts_us then
    routes.set_timer(route)
    if lasts_us < timers.shortest_us() then tell_timers(group.tag) end
  end
  routes.add_to_index(route)
  routes.load(front, 1)
  routes.load(back, 1)
  if group.conf.failure_percent > 0 then health.expect(session) end
end

-- Whether a front-end repeats a start after the group's data was lost, and the back has already reported the session.
function starting.is_restored(route, front, back)
  if route.state == 'provisional' then return route.side == 'back' and back end
  return route.state == 'live' and front and back and route.why == 'restored' and route.from_front == '0'
end

function starting.take_up(route, back)
  inbound.accept()
  if route.state == 'provisional' then
    local front = inbound.sender
    route.front_epoch, route.state, route.side = front.epoch, 'live', ''
    routes.write(route)
    routes.set_timer(route)
    tell_timers(group.tag)
    redis.call('ZADD', group.tag .. ':index', 0, route.session)
    routes.load(front, 1)
    group.count('restored')
  end
  return inbound.routed(back)
end
