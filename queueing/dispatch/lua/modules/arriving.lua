-- Judges and writes a registration, for both kinds of peers. A claim is what the peer states about itself, as text:
-- incarnation, link, process, and received: the number of the last frame that it has had from the dispatcher.
-- Rarely needed.
local arriving = {}

arriving.EVENT = { new = 'registered', reconnect = 'reconnected', restart = 'restarted', takeover = 'replaced' }

function arriving.malformed(claim)
  if not checks.is_plain(claim.incarnation) then return 'malformed incarnation' end
  if not checks.is_token(claim.link) then return 'malformed link' end
  if not checks.is_token(claim.process) then return 'malformed process' end
  if not is_digits(claim.received, checks.NUMBER_DIGITS) then return 'malformed received' end
end

-- Boot IDs prove a restart. Without one, a pending peer that returns has reconnected.
function arriving.is_other_life(known, claim)
  return known.incarnation ~= '' and claim.incarnation ~= '' and known.incarnation ~= claim.incarnation
end

-- The epoch with which a peer begins. A stopped peer whose routes are still being removed keeps its own.
function arriving.epoch_of(key)
  local known = peers.of(key)
  return known and known.epoch or '1'
end

-- known: the peer as stored in the group, or nil. peer: its new record, as far as its kind decides it. arrival: new,
-- reconnect, restart or takeover. Writes the peer, and returns the operation's reply.
function arriving.admit(known, peer, arrival, claim)
  local replaced_process, replaced_link, was_active = '', '', known and known.state == 'active'
  if was_active then
    replaced_process, replaced_link = known.process, known.link
    links.close(group.tag, known, '4410', 'replaced')
  end
  peer.incarnation, peer.link, peer.process = claim.incarnation, claim.link, claim.process
  if claim.incarnation == '' and known and arrival ~= 'restart' then peer.incarnation = known.incarnation end
  peer.is_telling = known and known.is_telling or false
  peer.state, peer.since, peer.stops_at = 'active', was_active and known.since or group.at, ''
  peer.life = arrival ~= 'new' and known and known.life or peer.epoch
  arriving.number(known, peer, arrival, claim)
  peers.write(peer)
  redis.call('ZREM', group.tag .. ':gone', peer.key)
  links.beat(peer)
  if not peer.is_front then
    if arrival == 'new' or arrival == 'restart' then health.begin(peer.name) end
    ready.settle(peer)
  end
  peers.log(arriving.EVENT[arrival], peer, '', nil, peer.is_front and peer.profile or peer.version)
  local received, sent, acked = unpack(redis.call('HMGET', group.tag .. ':seqs', 'i' .. peer.key, 'o' .. peer.key,
    'a' .. peer.key))
  group.close()
  return { '1', peer.key, arrival, received or '0', sent or '0', acked or '0', replaced_process, replaced_link,
    peer.is_held and '1' or '0', peer.is_telling and '1' or '0' }
end

-- Decides whether both numberings, and with them its sessions, continue or begin again.
function arriving.number(known, peer, arrival, claim)
  if arrival == 'restart' then
    if not peer.is_front then retrying.offer(known, true) end
    lives.void(known, 'restart')
    peer.epoch, peer.life, peer.is_telling = known.epoch, known.epoch, false
    frames.renumber(peer)
  elseif arrival == 'new' then
    frames.renumber(peer)
  elseif known then
    frames.acknowledge(peer, claim.received + 0)
  else
    -- Nothing is stored about the peer any more: frames to it continue from what it has, and its own frames count from
    -- 1. To accept any first number would accept a frame that overtook the first one in a batch.
    redis.call('HSET', group.tag .. ':seqs', 'i' .. peer.key, 0, 'o' .. peer.key, claim.received, 'a' .. peer.key,
      claim.received)
    peer.is_telling = true
  end
end
