-- Frames to peers. Each has the next number of its peer. It stays in {disp}:out, under the peer and the number, until
-- the peer acknowledges it: kind, session, peer, reason, body.
local frames = {}

frames.AT_ONCE = 500
frames.CONFIRM = 'confirm' -- reason of a start: its front-end wants to know which instance accepted it
frames.CONFIRMED_START = '^start\t(%C*)\t%C*\tconfirm\t'
frames.BUFFERED_END = '^end\t(%C*)\tbuffered\t'

-- How many frames a peer has not acknowledged.
function frames.unacked(peer)
  local sent, acked = unpack(redis.call('HMGET', group.tag .. ':seqs', 'o' .. peer.key, 'a' .. peer.key))
  return (sent or 0) - (acked or 0)
end

-- Whether others can send no more to a peer.
function frames.is_full(peer)
  return frames.unacked(peer) >= group.conf.out_limit
end

-- Whether the dispatcher itself may still notify a peer: out_limit leaves some room for that.
function frames.has_room(peer)
  return frames.unacked(peer) < group.conf.most_frames
end

-- Adds a frame to a peer's outbox, and sends it to the process that has its socket.
function frames.push(peer, kind, session, other, reason, body)
  frames.append(peer, kind .. '\t' .. session .. '\t' .. other .. '\t' .. reason .. '\t' .. body)
end

function frames.append(peer, entry)
  local number = string.format('%d', redis.call('HINCRBY', group.tag .. ':seqs', 'o' .. peer.key, 1))
  redis.call('HSET', group.tag .. ':out', peer.key .. '\t' .. number, entry)
  if peer.state == 'active' and not peer.is_held then
    local words = group.slug(group.tag) .. '\t' .. peer.key .. '\t' .. peer.link .. '\t' .. number .. '\t' .. entry
    redis.pcall('PUBLISH', 'dispatch:to:' .. peer.process, words)
  end
end

-- Counts starts in an instance's outbox whose acceptance must be reported.
function frames.await(back, many)
  redis.call('HINCRBY', group.tag .. ':seqs', 'w' .. back.key, many)
end

-- Sends an end. For a pending peer, it is stored without its body, and counted.
function frames.push_end(peer, session, reason, body)
  if peer.state == 'pending' then
    redis.call('HINCRBY', group.tag .. ':seqs', 'e' .. peer.key, 1)
    frames.push(peer, 'end', session, 'buffered', reason, 'null')
  else
    frames.push(peer, 'end', session, '', reason, body)
  end
end

-- Whether a peer is pending and has as many ends waiting as are allowed.
function frames.has_all_ends(peer)
  if peer.state ~= 'pending' then return false end
  return (redis.call('HGET', group.tag .. ':seqs', 'e' .. peer.key) or 0) + 0 >= group.conf.ends_limit
end

-- The fields of {disp}:out for these numbers of a peer.
function frames.fields(peer, first, last)
  local fields = {}
  for number = first, last do fields[#fields + 1] = peer.key .. '\t' .. string.format('%d', number) end
  return fields
end

-- Removes frames up to a number from the outbox. Returns how many.
function frames.acknowledge(peer, upto)
  local seqs = group.tag .. ':seqs'
  local acked, sent, ends, waits = unpack(redis.call('HMGET', seqs, 'a' .. peer.key, 'o' .. peer.key, 'e' .. peer.key,
    'w' .. peer.key))
  local must_read, heard, accepted = (ends or 0) + (waits or 0) > 0, 0, 0
  local first, last = (acked or 0) + 1, math.min(upto, (sent or 0) + 0)
  for start = first, last, frames.AT_ONCE do
    local fields = frames.fields(peer, start, math.min(start + frames.AT_ONCE - 1, last))
    if must_read then
      local entries = redis.call('HMGET', group.tag .. ':out', unpack(fields))
      heard = heard + frames.hear_ends(entries)
      accepted = accepted + frames.confirm_starts(peer, entries)
    end
    redis.call('HDEL', group.tag .. ':out', unpack(fields))
  end
  if last >= first then redis.call('HSET', seqs, 'a' .. peer.key, string.format('%d', last)) end
  if heard > 0 then redis.call('HINCRBY', seqs, 'e' .. peer.key, -heard) end
  if accepted > 0 then frames.await(peer, -accepted) end
  return math.max(0, last - first + 1)
end

-- A stored end that the peer has received ends its route. Returns how many of these frames are such ends.
function frames.hear_ends(entries)
  local heard = 0
  for place = 1, #entries do
    local session = entries[place] and string.match(entries[place], frames.BUFFERED_END)
    if session then
      heard = heard + 1
      local route = routes.of(session)
      if route and route.state == 'ending' then routes.remove(route) end
    end
  end
  return heard
end

-- An instance has accepted these starts. Reports it to the front-ends that want to know. Returns how many.
function frames.confirm_starts(back, entries)
  local many = 0
  for place = 1, #entries do
    local session = entries[place] and string.match(entries[place], frames.CONFIRMED_START)
    local route = session and routes.of(session)
    if session then many = many + 1 end
    if route and route.state == 'live' and route.back == back.id then
      local front = routes.ends_of(route)
      if front and frames.has_room(front) then frames.push(front, 'started', session, back.name, '', 'null') end
    end
  end
  return many
end

-- Drops frames that the peer has not acknowledged. Numbering continues from what it has.
function frames.drop(peer)
  local seqs = group.tag .. ':seqs'
  local sent, acked = unpack(redis.call('HMGET', seqs, 'o' .. peer.key, 'a' .. peer.key))
  local last = (sent or 0) + 0
  for first = (acked or 0) + 1, last, frames.AT_ONCE do
    local fields = frames.fields(peer, first, math.min(first + frames.AT_ONCE - 1, last))
    redis.call('HDEL', group.tag .. ':out', unpack(fields))
  end
  redis.call('HSET', seqs, 'o' .. peer.key, acked or '0')
  redis.call('HDEL', seqs, 'e' .. peer.key, 'w' .. peer.key)
end

-- Begins both numberings again.
function frames.renumber(peer)
  frames.drop(peer)
  redis.call('HSET', group.tag .. ':seqs', 'i' .. peer.key, 0, 'o' .. peer.key, 0, 'a' .. peer.key, 0)
end
