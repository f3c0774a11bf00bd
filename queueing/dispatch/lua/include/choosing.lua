-- Which back is given a session: nil and the reason when none can. `except`: as if that one were
-- blocked. READY holds those that are active, open and not being upgraded; full ones from 1e15 on.
-- One that is silent since its limit stands there until it is noticed, and is passed over.
local function is_heard(id)
  local due = not deaf and call('ZSCORE', BEATS, 'b:' .. id)
  return not due or due + 0 > now
end

local function least(except)
  local from = 0
  repeat
    local some = call('ZRANGE', READY, from, from + 1, 'WITHSCORES')
    for i = 1, #some, 2 do
      if some[i] ~= except and is_heard(some[i]) then
        if some[i + 1] + 0 >= 1e15 then return nil, 'all full' end
        return some[i]
      end
    end
    from = from + 2
  until #some < 4
  return nil, status == 'r' and 'recovering' or 'none open'
end

-- The next point clockwise of a name whose back can be given one; of 4 096 points none: the least.
local function by_key(key, except)
  local place, seen = tonumber(sub(redis.sha1hex(key), 1, 8), 16), {}
  local looked = 0
  for _, from in ipairs({ fmt('%d', place), '-inf' }) do
    local offset = 0
    repeat
      local points = call('ZRANGEBYSCORE', RING, from, '+inf', 'LIMIT', offset, 64)
      for i = 1, #points do
        local name = match(points[i], '^(.*)#')
        if not seen[name] then
          seen[name] = true
          local id = name_of(name).back
          local score = id ~= '' and id ~= except and call('ZSCORE', READY, id)
          if score and score + 0 < 1e15 and is_heard(id) then return id end
        end
      end
      offset, looked = offset + 64, looked + #points
    until #points < 64 or looked >= 4096
  end
  return least(except)
end

local function choose(key, except)
  if status == 'r' and not head[9] then return nil, 'recovering' end -- a promoted server: routes may be missing
  if sharing == 'k' then return by_key(key, except) end
  return least(except)
end

-- One of those with room, in turn, for messages without a session.
local function in_turn()
  local many = call('ZCOUNT', READY, '-inf', '(1e15')
  if many == 0 then return least() end
  local n = call('HINCRBY', GROUP, 'turns', 1)
  local id = call('ZRANGE', READY, n % many, n % many)[1]
  if is_heard(id) then return id end
  return least()
end
