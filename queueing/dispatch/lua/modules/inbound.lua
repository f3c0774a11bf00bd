-- The frame that a peer sends. inbound.open sets:
--   kind         start, message, …; a `refused` frame names it in its body
--   sender       the peer
--   number       in the sender's own sequence, as text: the next number continues, a lower one is a repeat, a gap
--                closes the link
--   is_anew      both numberings begin with this frame
--   released     '1' = the sender's held frames may be sent
local inbound = {}

-- Opens the group for a frame. Returns the reply if the frame must not be processed. Nothing is written then.
function inbound.open(tag, kind, key, link, number)
  local refusal = group.open(tag)
  if refusal then return refusal end
  if not checks.is_peer(key or '') then return checks.refusal('malformed peer') end
  local is_number = number and #number <= checks.NUMBER_DIGITS and string.find(number, '^[1-9]%d*$')
  if not is_number then return checks.refusal('malformed number') end
  local sender, refused = peers.with_link(key, link)
  if not sender then return refused end
  local received, sent, acked = unpack(redis.call('HMGET', tag .. ':seqs', 'i' .. key, 'o' .. key, 'a' .. key))
  inbound.kind, inbound.sender, inbound.number, inbound.released = kind, sender, number, '0'
  inbound.is_anew = kind == 'clear' and sender.is_held and number == '1'
  if not inbound.is_anew then
    local last = (received or 0) + 0
    if number + 0 <= last then return { '2', '', '', 'repeat', '0' } end
    if number + 0 > last + 1 then return checks.refusal('gap') end
  end
  if (sent or 0) - (acked or 0) >= group.conf.most_frames then return checks.refusal('behind') end
end

-- Accepts the number. A pending peer whose link still sends becomes active, and a held outbox is sent.
function inbound.accept()
  local sender = inbound.sender
  redis.call('HSET', group.tag .. ':seqs', 'i' .. sender.key, inbound.number)
  if sender.is_held then
    sender.is_held, inbound.released = false, '1'
    peers.write(sender)
  end
  if sender.state == 'pending' then links.revive(sender) end
end

-- Tells the sender in its own outbox why its frame was refused. Returns the operation's reply.
function inbound.refuse(reason, session)
  inbound.accept()
  local sender = inbound.sender
  frames.push(sender, 'refused', session, inbound.number, reason, '"' .. inbound.kind .. '"')
  group.count('refused')
  return { '0', '', '', reason, inbound.released }
end

-- The reply to a frame that went to a peer, or to none (nil).
function inbound.routed(peer)
  return { '1', peer and peer.key or '', peer and peer.name or '', '', inbound.released }
end
