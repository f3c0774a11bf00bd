-- Routes of ended lives are removed in batches. {disp}:clear has each life: peer, epoch, cause (lost, restart, block).
-- The group's hash has the progress of its walk under "at" and the life: 1 if a route was left because one of its ends
-- had no room for the notification (the walk then starts again, but not at once), how many routes it removed, and the
-- last member of the index that it saw.
-- Rarely needed.
local clearing = {}

clearing.LIFE = '^(%C*)\t(%d+)\t(%a+)$'
clearing.WALK = '^(%d) (%d+) (.*)$'
clearing.REASON = { lost = 'instance lost', restart = 'instance restarted', block = 'blocked' }
clearing.LIVES_AT_ONCE = 99 -- the last place: 100 lives
clearing.SETTLES_US = 30000000

-- Returns how many routes were removed, and whether there is more to do now.
function clearing.step(batch)
  local key = group.tag .. ':clear'
  local lives_over, walked, cleared, waiting = redis.call('ZRANGE', key, 0, clearing.LIVES_AT_ONCE), 0, 0, 0
  for place = 1, #lives_over do
    if walked >= batch then return cleared, true end
    local looked, removed, is_later = clearing.walk(lives_over[place], batch - walked)
    walked, cleared = walked + looked, cleared + removed
    if is_later then waiting = waiting + 1 end
  end
  return cleared, walked >= batch and redis.call('ZCARD', key) > waiting
end

-- Continues with one life. Returns how many routes were checked and removed, and whether the rest must wait.
function clearing.walk(life, limit)
  local key, epoch, cause = string.match(life, clearing.LIFE)
  local kind, id = string.match(key, peers.KEY)
  local left, total, last = string.match(group.field('at\t' .. life) or '0 0 ', clearing.WALK)
  local low, high = routes.range(kind == 'f', id)
  if last ~= '' then low = '(' .. last end
  local members = redis.call('ZRANGEBYLEX', group.tag .. ':index', low, high, 'LIMIT', 0, limit)
  local cleared = 0
  for place = 1, #members do
    local is_removed = clearing.take(members[place], kind == 'f', epoch, clearing.REASON[cause])
    if is_removed then cleared = cleared + 1 end
    if is_removed == false then left = '1' end
  end
  total = string.format('%d', total + cleared)
  if #members == limit then
    group.set('at\t' .. life, left .. ' ' .. total .. ' ' .. members[limit])
  elseif left == '1' then
    group.set('at\t' .. life, '0 ' .. total .. ' ')
    return #members, cleared, true
  else
    clearing.finish(life, key, total, clearing.REASON[cause])
  end
  return #members, cleared, false
end

-- Handles one route of a life. Returns true if it is removed, false if an end has no room for the notification, and nil
-- if it does not belong to that life.
function clearing.take(member, is_front, epoch, reason)
  local route = routes.of(is_front and member or routes.session_of(member))
  if not route then
    redis.call('ZREM', group.tag .. ':index', member)
    return nil
  end
  if (is_front and route.front_epoch or not is_front and route.back_epoch) ~= epoch then return nil end
  if not is_front then return routes.finish(route, reason) end
  routes.remove(route) -- the backs were notified once that the front is lost
  return true
end

-- Nothing of the life is left.
function clearing.finish(life, key, total, reason)
  redis.call('HDEL', group.tag, 'at\t' .. life)
  redis.call('ZREM', group.tag .. ':clear', life)
  local peer = peers.of(key)
  group.log('cleared', key, peer and peer.name, '', total, reason)
  if peer and peer.state == 'stopped' and not lives.has_routes(peer) then peers.forget(peer) end
end

-- Ends untimed routes that are older than the limit, in one step of a walk over all routes. So one of a million is
-- found some time after it is due, but never before. Returns how many were ended.
function clearing.end_old(batch)
  local cursor = group.field('walk') or '0'
  local next_cursor, found = unpack(redis.call('HSCAN', group.tag .. ':routes', cursor, 'COUNT', batch))
  local ended, may_be_ahead = 0, group.now - group.listens_at > clearing.SETTLES_US
  for place = 1, #found, 2 do
    local started, deadline = routes.times(found[place + 1])
    if may_be_ahead and started > group.now then
      clearing.count_anew(found[place])
    elseif deadline == '' and started + group.conf.route_us <= group.now then
      local route = routes.of(found[place])
      if route and route.state ~= 'provisional' and routes.finish(route, 'expired') then ended = ended + 1 end
    end
  end
  if next_cursor ~= cursor then group.set('walk', next_cursor) end
  return ended
end

-- The route was begun by a clock that was ahead. Its time counts from now, once the clock has run for 30 s since it
-- jumped (this clock may be behind). A deadline that a peer reported comes from another clock.
function clearing.count_anew(session)
  local route = routes.of(session)
  if not route then return end
  if route.deadline ~= '' and route.why ~= 'restored' then
    route.deadline = group.after(route.deadline - route.started)
  end
  route.started = group.at
  routes.write(route)
  if route.state == 'provisional' then
    redis.call('ZADD', group.tag .. ':timers', group.after(group.conf.disconnect_us), session)
  else
    routes.set_timer(route)
  end
end
