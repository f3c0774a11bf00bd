-- Which back is given a session: nil and the reason when none can. `except`: as if that one were
-- blocked. READY holds those that are active, open and not being upgraded; full ones from 1e15 on.
local function least(except)
  local some = call('ZRANGE', READY, 0, 1, 'WITHSCORES')
  for i = 1, #some, 2 do
    if some[i] ~= except then
      if some[i + 1] + 0 >= 1e15 then return nil, 'all full' end
      return some[i], nil, some[i + 1] + 0
    end
  end
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
          if score and score + 0 < 1e15 then return id end
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
  return call('ZRANGE', READY, n % many, n % many)[1]
end
