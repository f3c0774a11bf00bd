-- Routes of sessions. A record in {disp}:routes; besides, {disp}:index has the session for its front and,
-- behind "=<back>" and a tab, for its back; {disp}:timers has it while it is timed or provisional. What a
-- record says:
--   back                      of a provisional one that its front named: what that said, an id, a name or ''
--   front_epoch, back_epoch   of its ends when it began; '' = that end has not named it
--   started, deadline         µs; the deadline of a timed one, or ''
--   state                     live; ending: the end `side` (front or back) has yet to hear of it;
--                             provisional: only `side` has named it
--   from_front, from_back     messages
--   offered                   instances that were given its start and did not accept it, with spaces between
--   why                       least, turn, key, key:<key> or restored
local routes = {}

routes.RECORD = '^(%C*)\t(%d*)\t(%d*)\t(%d+)\t(%d*)\t([ep]?)([fb]?)\t(%d+)\t(%d+)\t(%C*)\t?(.*)$'
routes.TIMES = '^%C*\t%d*\t%d*\t(%d+)\t(%d*)'
routes.STATE = { [''] = 'live', e = 'ending', p = 'provisional' }
routes.LETTER = { live = '', ending = 'e', provisional = 'p' }
routes.SIDE = { [''] = '', f = 'front', b = 'back' }
routes.SIDE_LETTER = { [''] = '', front = 'f', back = 'b' }

function routes.parse(session, record)
  local back, front_epoch, back_epoch, started, deadline, letter, side, from_front, from_back, why, offered =
    string.match(record, routes.RECORD)
  return {
    session = session,
    front = routes.front_of(session),
    back = back,
    front_epoch = front_epoch,
    back_epoch = back_epoch,
    started = started,
    deadline = deadline,
    state = routes.STATE[letter],
    side = routes.SIDE[side],
    from_front = from_front,
    from_back = from_back,
    why = why,
    offered = offered,
  }
end

function routes.write(route)
  local record = table.concat({ route.back, route.front_epoch, route.back_epoch, route.started, route.deadline,
    routes.flags(route), route.from_front, route.from_back, route.why }, '\t')
  if route.offered ~= '' then record = record .. '\t' .. route.offered end
  redis.call('HSET', group.tag .. ':routes', route.session, record)
end

-- The route of a session; nil = there is none.
function routes.of(session)
  local record = redis.call('HGET', group.tag .. ':routes', session)
  return record and routes.parse(session, record) or nil
end

-- The instances that did not accept it, as a set, and how many they are.
function routes.offered_to(route)
  local set, many = {}, 0
  for id in string.gmatch(route.offered, '%S+') do
    set[id], many = true, many + 1
  end
  return set, many
end

function routes.front_of(session)
  return string.match(session, '^[^/]*')
end

-- When the route of a record began, a number, and its deadline, text: cheaper than all of it.
function routes.times(record)
  local started, deadline = string.match(record, routes.TIMES)
  return started + 0, deadline
end

-- State and side in letters, as records and replies have them.
function routes.flags(route)
  return routes.LETTER[route.state] .. routes.SIDE_LETTER[route.side]
end

-- The member of {disp}:index by which a back finds a session.
function routes.of_back(back, session)
  return '=' .. back .. '\t' .. session
end

-- The session of such a member.
function routes.session_of(member)
  return string.match(member, '\t(.*)$')
end

-- Where in {disp}:index the sessions of a peer are.
function routes.range(is_front, id)
  if is_front then return '[' .. id .. '/', '(' .. id .. '0' end
  return '[=' .. id .. '\t', '(=' .. id .. '\n'
end

-- Both ends find it in the index.
function routes.add_to_index(route)
  local of_back = routes.of_back(route.back, route.session)
  redis.call('ZADD', group.tag .. ':index', 0, route.session, 0, of_back)
end

-- It goes from one instance, which has not accepted it, to another.
function routes.move(route, from, to)
  routes.load(from, -1)
  redis.call('ZREM', group.tag .. ':index', routes.of_back(from.id, route.session))
  route.offered = route.offered == '' and from.id or route.offered .. ' ' .. from.id
  route.back, route.back_epoch = to.id, to.epoch
  routes.write(route)
  routes.add_to_index(route)
  routes.load(to, 1)
end

-- A timed route goes at its deadline; the others are looked at by sweeps, which walk round all routes.
function routes.set_timer(route)
  if route.deadline ~= '' then
    redis.call('ZADD', group.tag .. ':timers', route.deadline, route.session)
  else
    redis.call('ZREM', group.tag .. ':timers', route.session)
  end
end

-- Whether its time has come, although it is still there.
function routes.is_past(route)
  if group.is_deaf or route.state ~= 'live' then return false end
  local goes_at = route.deadline ~= '' and route.deadline + 0 or route.started + group.conf.route_us
  return goes_at <= group.now
end

-- The ends of a route for which it is not void: not restarted, stopped or blocked since it began.
function routes.ends_of(route)
  local front = route.front_epoch ~= '' and peers.front(route.front)
  local back = route.back_epoch ~= '' and peers.back(route.back)
  return front and front.epoch == route.front_epoch and front or nil, back and back.epoch == route.back_epoch and back
    or nil
end

-- The back that has the session as far as it knows: also one that was blocked since.
function routes.holder(route)
  local back = route.back_epoch ~= '' and peers.registered('b:' .. route.back)
  return back and route.back_epoch + 0 >= back.life + 0 and back or nil
end

-- A peer has so many live sessions more.
function routes.load(peer, number)
  local sessions = redis.call('HINCRBY', group.tag .. ':seqs', 'n' .. peer.key, number)
  if not peer.is_front then ready.weigh(peer, sessions) end
end

-- The load of both ends is that of the routes that neither has ended.
function routes.unload(route)
  if route.state == 'ending' then return end
  local front, back = routes.ends_of(route)
  if front then routes.load(front, -1) end
  if back then routes.load(back, -1) end
end

function routes.remove(route)
  routes.unload(route)
  redis.call('HDEL', group.tag .. ':routes', route.session)
  redis.call('ZREM', group.tag .. ':timers', route.session)
  redis.call('ZREM', group.tag .. ':index', route.session, routes.of_back(route.back, route.session))
end

-- Ends a route from here: both ends are told, as far as they have not been. False, and nothing
-- done, when one has no room.
function routes.finish(route, reason)
  local front, back = nil, nil
  if route.state ~= 'ending' then front, back = routes.ends_of(route), routes.holder(route) end
  if not front and route.state ~= 'provisional' then back = nil end -- a lost front was told to the backs once
  if (front and not frames.has_room(front)) or (back and not frames.has_room(back)) then return false end
  if front then routes.tell_end(front, route, reason) end
  if back then routes.tell_end(back, route, reason) end
  routes.remove(route)
  return true
end

function routes.tell_end(peer, route, reason)
  if route.state == 'provisional' then
    frames.push(peer, 'free', route.session, '', reason, 'null')
  else
    frames.push_end(peer, route.session, reason, 'null')
  end
end
