-- Routes as tables, their texts, their two index entries, the load of their ends.
-- back (of a provisional one that its front named: what that said), fe and be (the epochs of both
-- ends when it began; "" = that end has not named it), started µs, deadline µs of a timed one,
-- flags ("", e = ended, f or b has yet to hear of it; p = provisional, named by f or b only),
-- nf and nb (messages from each end), why.
local ROUTE_LIMIT, TIMED = sub(conf, 15, 22) * 1000000, sub(conf, 23, 29) * 1000000

local function route_of(session)
  local text = call('HGET', ROUTES, session)
  if not text then return nil end
  local back, fe, be, started, deadline, flags, nf, nb, why =
    match(text, '^([^\t]*)\t(%d*)\t(%d*)\t(%d+)\t(%d*)\t([efbp]*)\t(%d+)\t(%d+)\t(.*)$')
  return { session = session, front = match(session, '^[^/]*'), back = back, fe = fe, be = be, started = started,
    deadline = deadline, flags = flags, nf = nf, nb = nb, why = why }
end

-- The shortest time after which something may be due that begins now, without an announcement to
-- the timers; they visit every group at least every 2 s.
local function shortest_term()
  return math.min(HEARTBEAT / 2, DISCONNECT, TIMED, 2000000)
end

-- Whether its time has come, although it is still there.
local function is_past(r)
  local goes = r.deadline ~= '' and r.deadline + 0 or r.started + ROUTE_LIMIT
  return not deaf and sub(r.flags, 1, 1) == '' and goes <= now
end

local function keep_route(r)
  call('HSET', ROUTES, r.session, concat({ r.back, r.fe, r.be, r.started, r.deadline, r.flags, r.nf, r.nb, r.why }, '\t'))
end

-- A timed route goes at its deadline; the others are looked at by sweeps, which walk round all routes.
local function set_timer(r)
  if r.deadline ~= '' then call('ZADD', TIMERS, r.deadline, r.session) else call('ZREM', TIMERS, r.session) end
end

-- The ends of a route for which it is not void: not restarted, stopped or blocked since it began.
local function ends_of(r)
  local f = r.fe ~= '' and peer_of('f:' .. r.front) or nil
  local b = r.be ~= '' and peer_of('b:' .. r.back) or nil
  return f and f.epoch == r.fe and f or nil, b and b.epoch == r.be and b or nil
end

-- The back that has the session as far as it knows: also one that was blocked since.
local function holder(r)
  local b = r.be ~= '' and peer_of('b:' .. r.back)
  return b and b.state ~= 's' and r.be + 0 >= b.life + 0 and b or nil
end

local function load(p, by)
  local n = call('HINCRBY', SEQS, 'n' .. p.key, by)
  if not p.front then weigh(p, n) end
end

-- The load of both ends is that of the routes that neither has ended.
local function unload(r)
  if sub(r.flags, 1, 1) == 'e' then return end
  local f, b = ends_of(r)
  if f then load(f, -1) end
  if b then load(b, -1) end
end

local function remove_route(r)
  unload(r)
  call('HDEL', ROUTES, r.session)
  call('ZREM', TIMERS, r.session)
  call('ZREM', INDEX, r.session, '=' .. r.back .. '\t' .. r.session)
end

-- Ends a route from here: both ends are told, as far as they have not been. False, and nothing
-- done, when one has no room.
local function end_route(r, reason)
  local f, b = ends_of(r), holder(r)
  if sub(r.flags, 1, 1) == 'e' then f, b = nil, nil end
  local provisional = sub(r.flags, 1, 1) == 'p'
  if not f and not provisional then b = nil end -- a lost front was told to the backs once
  if (f and not has_room(f)) or (b and not has_room(b)) then return false end
  for i = 1, 2 do
    local p = i == 1 and f or i == 2 and b
    if p and provisional then push(p, 'free', r.session, '', reason, 'null')
    elseif p then push_end(p, r.session, reason, 'null') end
  end
  remove_route(r)
  return true
end
