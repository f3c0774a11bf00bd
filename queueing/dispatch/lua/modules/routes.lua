-- Routes of sessions. The record is in {disp}:routes. {disp}:index has the session for its front and, after "=<back>"
-- and a tab, for its back. {disp}:timers has it while it is timed or provisional. Fields:
--   back                      of a provisional route that its front named: the ID or name that the front gave, or ''
--   front_epoch, back_epoch   the epochs of its ends when it began; '' = that end has not named it
--   started, deadline         µs; the deadline of a timed route, or ''
--   state                     live; ending: the end `side` (front or back) must still be told;
--                             provisional: only `side` has named it
--   from_front, from_back     messages
--   offered                   instances that got its start and did not accept it, separated by spaces
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

-- The route of a session, or nil.
function routes.of(session)
  local record = redis.call('HGET', group.tag .. ':routes', session)
  return record and routes.parse(session, record) or nil
end

-- The instances that did not accept the session, as a set, and their number.
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

-- When the route in a record began, as a number, and its deadline, as text. Costs less than parsing all of it.
function routes.times(record)
  local started, deadline = string.match(record, routes.TIMES)
  return started + 0, deadline
end

-- State and side as letters, for records and replies.
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

-- Where {disp}:index has the sessions of a peer.
function routes.range(is_front, id)
  if is_front then return '[' .. id .. '/', '(' .. id .. '0' end
  return '[=' .. id .. '\t', '(=' .. id .. '\n'
end

-- Adds the route to the index for both ends.
function routes.add_to_index(route)
  local of_back = routes.of_back(route.back, route.session)
  redis.call('ZADD', group.tag .. ':index', 0, route.session, 0, of_back)
end

-- Moves the route from an instance that has not accepted it to another one.
function routes.move(route, from, to)
  routes.load(from, -1)
  redis.call('ZREM', group.tag .. ':index', routes.of_back(from.id, route.session))
  route.offered = route.offered == '' and from.id or route.offered .. ' ' .. from.id
  route.back, route.back_epoch = to.id, to.epoch
  routes.write(route)
  routes.add_to_index(route)
  routes.load(to, 1)
end

-- A timed route ends at its deadline. Sweeps check all others in a walk over all routes.
function routes.set_timer(route)
  if route.deadline ~= '' then
    redis.call('ZADD', group.tag .. ':timers', route.deadline, route.session)
  else
    redis.call('ZREM', group.tag .. ':timers', route.session)
  end
end

-- Whether the route has expired, although it still exists.
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

-- The back that has the session as far as it knows, even if it was blocked since.
function routes.holder(route)
  local back = route.back_epoch ~= '' and peers.registered('b:' .. route.back)
  return back and route.back_epoch + 0 >= back.life + 0 and back or nil
end

-- Changes the number of a peer's live sessions.
function routes.load(peer, number)
  local sessions = redis.call('HINCRBY', group.tag .. ':seqs', 'n' .. peer.key, number)
  if not peer.is_front then ready.weigh(peer, sessions) end
end

-- Reduces the load of both ends, unless an end has already ended the route.
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

-- Ends a route from here: each end that does not know yet is told. If an end has no room for that, returns false and
-- changes nothing.
function routes.finish(route, reason)
  local front, back = nil, nil
  if route.state ~= 'ending' then front, back = routes.ends_of(route), routes.holder(route) end
  if not front and route.state ~= 'provisional' then back = nil end -- the backs were notified once of a lost front
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
