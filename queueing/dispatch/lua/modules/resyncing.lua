-- A peer tells its sessions after a loss. The first end that names one makes its route provisional, the
-- second restores it. What one end alone has is freed in time (timers.lua).
local resyncing = {}

-- One session: other is the id or the name of the other end, or ''; deadline µs or ''. Returns restored,
-- provisional or freed.
function resyncing.take(peer, session, other, deadline)
  if peer.is_front and routes.front_of(session) ~= peer.id then return resyncing.free(peer, session, 'not yours') end
  local route = routes.of(session)
  if not route then return resyncing.note(peer, session, other, deadline) end
  local own_end, other_end = routes.ends_of(route)
  if not peer.is_front then own_end, other_end = route.back == peer.id and other_end, own_end end
  if own_end and route.state == 'live' then return 'restored' end
  if own_end and route.state == 'provisional' then return 'provisional' end
  local is_awaited = route.state == 'provisional' and route.side == (peer.is_front and 'back' or 'front')
  if is_awaited and other_end then
    if resyncing.is_same_back(peer, route, other) then return resyncing.restore(peer, route) end
    return resyncing.free(peer, session, 'elsewhere')
  end
  if not peer.is_front and route.back ~= peer.id then return resyncing.free(peer, session, 'elsewhere') end
  return resyncing.free(peer, session, 'no such session')
end

-- The peer must free it.
function resyncing.free(peer, session, reason)
  frames.push(peer, 'free', session, '', reason, 'null')
  return 'freed'
end

-- Nobody has named it before.
function resyncing.note(peer, session, other, deadline)
  local route = {
    session = session,
    front = routes.front_of(session),
    back = peer.is_front and other or peer.id,
    front_epoch = peer.is_front and peer.epoch or '',
    back_epoch = peer.is_front and '' or peer.epoch,
    started = group.at,
    deadline = deadline,
    state = 'provisional',
    side = peer.is_front and 'front' or 'back',
    from_front = '0',
    from_back = '0',
    why = 'restored',
  }
  routes.write(route)
  redis.call('ZADD', group.tag .. ':timers', group.after(group.conf.disconnect_us), session)
  local member = peer.is_front and session or routes.of_back(peer.id, session)
  redis.call('ZADD', group.tag .. ':index', 0, member)
  routes.load(peer, 1)
  return 'provisional'
end

-- The second end has named it: it goes on as any other.
function resyncing.restore(peer, route)
  if peer.is_front then route.front_epoch = peer.epoch else route.back_epoch, route.back = peer.epoch, peer.id end
  route.state, route.side = 'live', ''
  routes.write(route)
  routes.set_timer(route)
  routes.add_to_index(route)
  routes.load(peer, 1)
  group.count('restored')
  return 'restored'
end

-- Whether the front, now or before, has named the instance that has it, or none.
function resyncing.is_same_back(peer, route, other)
  local back = not peer.is_front and peer or peers.back(route.back)
  local named = peer.is_front and other or route.back
  return named == '' or (back and (named == back.id or named == back.name))
end

-- It has told all: it may be given new sessions, unless its name was blocked meanwhile.
function resyncing.finish(peer)
  if not peer.is_telling then return end
  peer.is_telling = false
  peers.write(peer)
  peers.log('resynced', peer, '', peers.sessions(peer))
  if peer.is_front then return end
  if names.of(peer.name).manual == 'blocked' then
    lives.void(peer, 'block')
    peers.write(peer)
  end
  ready.settle(peer)
end
