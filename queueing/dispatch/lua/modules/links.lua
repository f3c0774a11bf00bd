-- The link of a peer: active while it is heard, then pending, then the peer is stopped (lives.lua). {disp}:beats has
-- the active peers by the time at which they become pending, {disp}:gone the pending ones by the time at which they are
-- stopped.
local links = {}

-- Tells the process that has the peer's socket to close it.
function links.close(tag, peer, code, reason)
  if peer.link == '' then return end
  local words = { group.slug(tag), peer.key, peer.link, 'close', code, reason }
  redis.pcall('PUBLISH', 'dispatch:to:' .. peer.process, table.concat(words, '\t'))
end

-- The peer was heard now, or `ago` µs ago.
function links.beat(peer, ago)
  redis.call('ZADD', group.tag .. ':beats', group.after(group.conf.silence_us - (ago or 0)), peer.key)
end

function links.pend(peer, reason)
  peer.state, peer.since, peer.stops_at = 'pending', group.at, group.after(group.conf.disconnect_us)
  peers.write(peer)
  redis.call('ZREM', group.tag .. ':beats', peer.key)
  redis.call('ZADD', group.tag .. ':gone', peer.stops_at, peer.key)
  if not peer.is_front then ready.leave(peer) end
  peers.log('pending', peer, reason)
  if not peer.is_front then retrying.offer(peer, false) end
end

function links.revive(peer, ago)
  peer.state, peer.since, peer.stops_at = 'active', group.at, ''
  peers.write(peer)
  redis.call('ZREM', group.tag .. ':gone', peer.key)
  links.beat(peer, ago)
  if not peer.is_front then ready.settle(peer) end
  peers.log('active', peer)
end

-- Makes an unheard peer pending that no sweep has noticed yet. Only sweeps stop a peer, so it is in time until then.
function links.catch_up(peer)
  if not peer or peer.state == 'stopped' then return nil end
  local due = peer.state == 'active' and redis.call('ZSCORE', group.tag .. ':beats', peer.key)
  if due and due + 0 <= group.now then links.pend(peer, 'silent') end
  return peer
end
