-- Lives of peers: raising a peer's epoch makes all its sessions void in one step, whatever their number.
local lives = {}

function lives.has_routes(peer)
  local low, high = routes.range(peer.is_front, peer.id)
  return #redis.call('ZRANGEBYLEX', group.tag .. ':index', low, high, 'LIMIT', 0, 1) > 0
end

-- Makes the peer's sessions void. Sweeps remove their routes (clearing.lua). cause: lost, restart, block. Returns how
-- many were live. The caller writes the peer.
function lives.void(peer, cause)
  local sessions = peers.sessions(peer)
  if lives.has_routes(peer) then
    redis.call('ZADD', group.tag .. ':clear', 'NX', group.at, peer.key .. '\t' .. peer.epoch .. '\t' .. cause)
    tell_timers(group.tag)
  end
  peer.epoch = string.format('%d', peer.epoch + 1)
  redis.call('HSET', group.tag .. ':seqs', 'n' .. peer.key, 0)
  if not peer.is_front then
    ready.weigh(peer, 0)
  elseif sessions > 0 then
    lives.tell_backs(peer, cause == 'lost' and 'front-end lost' or 'front-end restarted')
  end
  return sessions
end

-- Notifies each back that has sessions of a lost front, including void ones, once and in this step, before any new
-- session of that front. A back without room even for this is stopped.
function lives.tell_backs(front, reason)
  for _, name in ipairs(names.all()) do
    local back = name.back ~= '' and peers.registered('b:' .. name.back)
    if back and lives.has_routes(back) then
      if frames.has_room(back) then
        frames.push(back, 'peer-lost', '', front.id, reason, 'null')
      else
        links.close(group.tag, back, '1013', 'behind')
        lives.stop(back, 'lost', 'behind')
      end
    end
  end
end

function lives.stop(peer, cause, reason)
  if not peer.is_front then
    ready.leave(peer)
    retrying.offer(peer, true)
  end
  redis.call('ZREM', group.tag .. ':beats', peer.key)
  redis.call('ZREM', group.tag .. ':gone', peer.key)
  frames.drop(peer)
  redis.call('HDEL', group.tag .. ':seqs', 'i' .. peer.key, 'o' .. peer.key, 'a' .. peer.key)
  peer.state, peer.since, peer.stops_at = 'stopped', group.at, ''
  peer.link, peer.process, peer.is_held, peer.is_telling = '', '', false, false
  if not peer.is_front then names.vacate(peer.name, peer.id) end
  local sessions = lives.void(peer, cause)
  peers.log('stopped', peer, reason, sessions)
  if lives.has_routes(peer) then peers.write(peer) else peers.forget(peer) end
end
