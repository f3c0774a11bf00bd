-- Routes of lives that are over leave in batches. A life: peer, epoch, what (lost, restart, block).
-- How far the walk is stands in the group's hash: 1 when a route was left because one of its ends
-- had no room to be told (then the walk begins once more, but not at once), how many it removed, and
-- the last member of the index that it saw.
local ENDS = { lost = 'instance lost', restart = 'instance restarted', block = 'blocked' }

local function clear_life(life, limit)
  local key, epoch, what = match(life, '^([^\t]*)\t(%d+)\t(%a+)$')
  local is_front, id = sub(key, 1, 1) == 'f', sub(key, 3)
  local low, high = range({ front = is_front, id = id })
  local place = call('HGET', GROUP, 'at\t' .. life)
  local left, total, last = match(place or '0 0 ', '^(%d) (%d+) (.*)$')
  if last ~= '' then low = '(' .. last end
  local p = peer_of(key)
  local some = call('ZRANGEBYLEX', INDEX, low, high, 'LIMIT', 0, limit)
  local cleared = 0
  for i = 1, #some do
    local r = route_of(is_front and some[i] or match(some[i], '\t(.*)$'))
    if not r then
      call('ZREM', INDEX, some[i])
    elseif (is_front and r.fe or r.be) == epoch then
      if is_front then
        remove_route(r)
        cleared = cleared + 1
      elseif end_route(r, ENDS[what]) then
        cleared = cleared + 1
      else
        left = '1'
      end
    end
  end
  total = int(total + cleared)
  if #some == limit or left == '1' then
    local on = #some == limit
    call('HSET', GROUP, 'at\t' .. life, on and left .. ' ' .. total .. ' ' .. some[#some] or '0 ' .. total .. ' ')
    return #some, cleared, not on
  end
  call('HDEL', GROUP, 'at\t' .. life)
  call('ZREM', CLEAR, life)
  log('cleared', key, p and p.name, '', total, ENDS[what])
  if p and p.state == 's' and not has_routes(p) then forget(p) end
  return #some, cleared
end

-- Begun by a clock that was ahead: its time counts from now, once the clock has gone on for 30 s since it stepped (this
-- one may be behind). A deadline that a peer told is of another clock.
local function count_anew(r)
  if r.deadline ~= '' and r.why ~= 'restored' then r.deadline = int(r.deadline - r.started + now) end
  r.started = at
  keep_route(r)
  if sub(r.flags, 1, 1) == 'p' then call('ZADD', TIMERS, int(now + DISCONNECT), r.session) else set_timer(r) end
end

-- Untimed routes older than the limit: one step of a walk round all routes, so one of a million is
-- found some time after it is due, never before.
local function clear_old(batch)
  local cursor = call('HGET', GROUP, 'walk') or '0'
  local some = call('HSCAN', ROUTES, cursor, 'COUNT', batch)
  local cleared = 0
  for i = 1, #some[2], 2 do
    local started, deadline = match(some[2][i + 1], '^[^\t]*\t%d*\t%d*\t(%d+)\t(%d*)')
    local is_ahead = started + 0 > now and now - listens_at > 30000000
    if is_ahead or deadline == '' and started + ROUTE_LIMIT <= now then
      local r = route_of(some[2][i])
      if r and is_ahead then count_anew(r)
      elseif r and sub(r.flags, 1, 1) ~= 'p' and end_route(r, 'expired') then cleared = cleared + 1 end
    end
  end
  if some[1] ~= cursor then call('HSET', GROUP, 'walk', some[1]) end
  return cleared
end

-- Returns how many routes were removed, and whether there is more to do at once.
local function clear_lives(batch)
  local lives, walked, cleared, waiting = call('ZRANGE', CLEAR, 0, 99), 0, 0, 0
  for i = 1, #lives do
    if walked >= batch then return cleared, true end
    local looked, done, later = clear_life(lives[i], batch - walked)
    walked, cleared = walked + looked, cleared + done
    if later then waiting = waiting + 1 end
  end
  return cleared, walked >= batch and call('ZCARD', CLEAR) > waiting
end
