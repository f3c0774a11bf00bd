--[[ dispatch/peers
Purpose: Reads every peer: its record, its last frame, its sessions and its outbox.
KEYS as dispatch/start
Reply: [1, then twenty-eight words for each: peer, state, incarnation, link, process, since, heard, pending
  until, sessions, unacknowledged, buffered ends, held, resync, profile, name, version, capacity, weight,
  manual state, upgrade flag, frames received from it, frames put into its outbox, µs until which it is
  ejected or "", ejections that count, sessions and failures of its window, 1 = backup, percent of its share]
Errors: [-1, reason]: "no such group", "script outdated …"
Complexity: O(peers)
Version: 1
]]
local AT_ONCE = 500
local LETTERS = { 'n', 'o', 'a', 'e', 'i' }
local refusal = group.open(KEYS[1])
if refusal then return refusal end

-- The numbers of some peers, a text or false for each letter of each.
local function numbers_of(keys, first, last)
  local fields = {}
  for place = first, last do
    for _, letter in ipairs(LETTERS) do fields[#fields + 1] = letter .. keys[place] end
  end
  return redis.call('HMGET', group.tag .. ':seqs', unpack(fields))
end

-- When it was heard last; '' = it is not active.
local function heard_at(peer)
  local due = peer.state == 'active' and redis.call('ZSCORE', group.tag .. ':beats', peer.key)
  return due and string.format('%d', due - group.conf.silence_us) or ''
end

-- How its sessions come out, and its tier.
local function health_of(peer)
  if peer.is_front then return { '', '0', '0', '0', '0', '100' } end
  local its = health.of(peer.name)
  return { its.ejected_at ~= '' and its.ends_at or '', string.format('%d', its.times),
    string.format('%d', its.sessions), string.format('%d', its.failures), names.is_backup(peer.name) and '1' or '0',
    string.format('%d', health.warmth(peer.name) * health.WHOLE_PERCENT) }
end

-- What the reply says of one peer; its numbers as {disp}:seqs has them.
local function words_of(peer, sessions, sent, acked, ends, received)
  local name = not peer.is_front and names.of(peer.name)
  return { peer.key, peers.LETTER[peer.state], peer.incarnation, peer.link, peer.process, peer.since, heard_at(peer),
    peer.stops_at, sessions or '0', string.format('%d', (sent or 0) - (acked or 0)), ends or '0',
    peer.is_held and '1' or '0', peer.is_telling and '1' or '0', peer.profile, peer.name, peer.version, peer.capacity,
    peer.weight, name and names.LETTER[name.manual] or '', name and name.is_upgrading and '1' or '0', received or '0',
    sent or '0', unpack(health_of(peer)) }
end

local reply, keys = { '1' }, redis.call('HKEYS', group.tag .. ':peers')
for first = 1, #keys, AT_ONCE do
  local last = math.min(first + AT_ONCE - 1, #keys)
  local numbers = numbers_of(keys, first, last)
  for place = first, last do
    local begin = (place - first) * #LETTERS
    for _, word in ipairs(words_of(peers.of(keys[place]), unpack(numbers, begin + 1, begin + #LETTERS))) do
      reply[#reply + 1] = word
    end
  end
end
return reply
