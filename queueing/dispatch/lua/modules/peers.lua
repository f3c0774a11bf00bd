-- Peers: front-ends (f:<ID>) and instances (b:<ID>), each with a record in {disp}:peers:
--   state        active, pending or stopped
--   incarnation  its boot ID; link, process: tokens of its socket, and of the web process that holds the socket
--   profile      of a front-end; name, version, capacity, weight: of an instance
--   epoch        raised when its sessions become void; life: the epoch in which its process began
--   since        µs of the last change of its state; stops_at: µs at which it is stopped, or ''
--   is_held      its outbox waits for its first frame
--   is_telling   after a loss, it has not reported all of its sessions yet
-- Epochs, numbers and times are text. {disp}:seqs has its numbers: i of its last frame, o of the last one in its
-- outbox, a of the last one that it acknowledged; n counts its live sessions, e its stored ends.
local peers = {}

peers.KEY = '^([fb]):(.*)$'
peers.RECORD = '^(%a)\t(%C*)\t(%C*)\t(%C*)\t(%C*)\t(%C*)\t(%C*)\t(%d*)\t(%d*)\t(%d+)\t(%d+)\t(%d*)\t(%d)\t(%d)\t(%d+)$'
peers.STATE = { a = 'active', p = 'pending', s = 'stopped' }
peers.LETTER = { active = 'a', pending = 'p', stopped = 's' }

function peers.parse(key, record)
  local kind, id = string.match(key, peers.KEY)
  local letter, incarnation, link, process, profile, name, version, capacity, weight, epoch, since, stops_at, held,
    telling, life = string.match(record, peers.RECORD)
  return {
    key = key,
    id = id,
    is_front = kind == 'f',
    state = peers.STATE[letter],
    incarnation = incarnation,
    link = link,
    process = process,
    profile = profile,
    name = name,
    version = version,
    capacity = capacity,
    weight = weight,
    epoch = epoch,
    since = since,
    stops_at = stops_at,
    is_held = held == '1',
    is_telling = telling == '1',
    life = life,
  }
end

function peers.write(peer)
  group.known[peer.key] = peer
  local record = table.concat({ peers.LETTER[peer.state], peer.incarnation, peer.link, peer.process, peer.profile,
    peer.name, peer.version, peer.capacity, peer.weight, peer.epoch, peer.since, peer.stops_at,
    peer.is_held and '1' or '0', peer.is_telling and '1' or '0', peer.life }, '\t')
  redis.call('HSET', group.tag .. ':peers', peer.key, record)
end

-- The peer of a key, or nil. Includes a stopped one whose routes are still being removed. Read once in an operation.
function peers.of(key)
  local peer = group.known[key]
  if peer == nil then
    local record = redis.call('HGET', group.tag .. ':peers', key)
    peer = record and peers.parse(key, record)
    group.known[key] = peer
  end
  return peer or nil
end

function peers.front(id)
  return peers.of('f:' .. id)
end

function peers.back(id)
  return peers.of('b:' .. id)
end

-- The peer of a key, or nil if it is stopped.
function peers.registered(key)
  local peer = peers.of(key)
  return peer and peer.state ~= 'stopped' and peer or nil
end

-- The registered peer whose socket has this token; otherwise nil and the operation's reply.
function peers.with_link(key, link)
  local peer = peers.registered(key)
  if not peer then return nil, checks.refusal('no such peer') end
  if peer.link ~= link then return nil, checks.refusal('replaced') end
  return peer
end

-- How many live sessions the peer has.
function peers.sessions(peer)
  return (redis.call('HGET', group.tag .. ':seqs', 'n' .. peer.key) or 0) + 0
end

-- Deletes a stopped peer when its last route is gone. Until then, its record keeps the epoch.
function peers.forget(peer)
  redis.call('HDEL', group.tag .. ':peers', peer.key)
  redis.call('HDEL', group.tag .. ':seqs', 'n' .. peer.key)
  group.known[peer.key] = false
end

-- Writes a history entry about a peer. count: sessions or routes, a number.
function peers.log(event, peer, reason, count, data)
  group.log(event, peer.key, peer.name, '', count and string.format('%d', count), reason, data)
end
