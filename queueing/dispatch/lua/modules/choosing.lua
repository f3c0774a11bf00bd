-- Chooses the instance for a session: its ID, or nil and the reason. `except`: ID → true for instances to skip.
local choosing = {}

choosing.POINTS_AT_ONCE = 64
choosing.MOST_POINTS = 4096
choosing.NONE = {}
choosing.DIGEST = '^%x%x%x%x%x%x%x%x' -- 32 bits of a SHA-1
choosing.HEX = 16

function choosing.choose(key, except)
  local conf = group.conf
  except = except or choosing.NONE
  if conf.status == 'recovering' and not group.opens_at then
    return nil, 'recovering' -- a promoted server: routes may be missing
  end
  if conf.sharing == 'key' then return choosing.by_key(key, except) end
  return choosing.least(except)
end

-- Whether the instance was heard within its limit. One that was not stays in {disp}:ready until a sweep notices it.
function choosing.is_heard(id)
  if group.is_deaf then return true end
  local due = redis.call('ZSCORE', group.tag .. ':beats', 'b:' .. id)
  return not due or due + 0 > group.now
end

-- The instance with the least load.
function choosing.least(except)
  local from = 0
  except = except or choosing.NONE
  repeat
    local some = redis.call('ZRANGE', group.tag .. ':ready', from, from + 1, 'WITHSCORES')
    for place = 1, #some, 2 do
      local id = some[place]
      if not except[id] and choosing.is_heard(id) then
        if some[place + 1] + 0 >= ready.FULL then return nil, 'all full' end
        return id
      end
    end
    from = from + 2
  until #some < 4
  return nil, group.conf.status == 'recovering' and 'recovering' or 'none open'
end

-- The next point of the ring, clockwise from the key's, whose instance can take a session. A backup is used only if no
-- other instance can. If 4,096 points have none, the instance with the least load.
function choosing.by_key(key, except)
  local position = string.format('%d', tonumber(string.match(redis.sha1hex(key), choosing.DIGEST), choosing.HEX))
  local found = choosing.round(position, except, ready.BACKUP)
  if not found and redis.call('ZCOUNT', group.tag .. ':ready', ready.BACKUP, ready.BELOW_FULL) > 0 then
    found = choosing.round(position, except, ready.FULL)
  end
  if found then return found end
  return choosing.least(except)
end

-- Walks the ring once, for an instance whose load is below a limit.
function choosing.round(position, except, limit)
  local seen = {}
  local found, looked = choosing.clockwise(position, except, seen, 0, limit)
  if found then return found end
  return (choosing.clockwise('-inf', except, seen, looked, limit))
end

-- Walks from a position to the end of the ring. Returns the ID or nil, and how many points were checked. seen: names
-- that were tried.
function choosing.clockwise(position, except, seen, looked, limit)
  local offset = 0
  repeat
    local points = redis.call('ZRANGEBYSCORE', group.tag .. ':ring', position, '+inf', 'LIMIT', offset,
      choosing.POINTS_AT_ONCE)
    for place = 1, #points do
      local name = string.match(points[place], '^(.*)#')
      if not seen[name] then
        seen[name] = true
        local id = names.of(name).back
        if choosing.can_take(id, except, limit) then return id, looked end
      end
    end
    offset, looked = offset + choosing.POINTS_AT_ONCE, looked + #points
  until #points < choosing.POINTS_AT_ONCE or looked >= choosing.MOST_POINTS
  return nil, looked
end

function choosing.can_take(id, except, limit)
  if id == '' or except[id] then return false end
  local load = redis.call('ZSCORE', group.tag .. ':ready', id)
  return load and load + 0 < limit and choosing.is_heard(id)
end

-- One of the instances with room, in turn, for messages without a session. A backup if no other has room.
function choosing.in_turn()
  local key = group.tag .. ':ready'
  local many = redis.call('ZCOUNT', key, '-inf', ready.BELOW_BACKUP)
  if many == 0 then many = redis.call('ZCOUNT', key, ready.BACKUP, ready.BELOW_FULL) end
  if many == 0 then return choosing.least() end
  local rank = redis.call('HINCRBY', group.tag, 'turns', 1) % many
  local id = redis.call('ZRANGE', key, rank, rank)[1]
  if choosing.is_heard(id) then return id end
  return choosing.least()
end
