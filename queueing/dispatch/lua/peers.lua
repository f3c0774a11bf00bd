--[[ dispatch/peers
Purpose: Reads every peer: its record, its last frame, its sessions, its outbox.
KEYS[1] {disp}          HASH    conf, generation, seq, counters
KEYS[2] {disp}:peers    HASH    peer → its record
KEYS[3] {disp}:beats    ZSET    active peer by the µs at which it becomes pending
KEYS[4] {disp}:gone     ZSET    pending peer by the µs at which it is stopped
KEYS[5] {disp}:seqs     HASH    numbers and counts of peers
KEYS[6] {disp}:out      HASH    peer, number → frame that the peer has not acknowledged
KEYS[7] {disp}:routes   HASH    session → its route
KEYS[8] {disp}:timers   ZSET    timed and provisional sessions by the µs at which they go
KEYS[9] {disp}:index    ZSET    sessions in lexical order, of fronts and of backs
KEYS[10] {disp}:ready   ZSET    back that takes sessions, by load
KEYS[11] {disp}:ring    ZSET    points of names for sharing by key
KEYS[12] {disp}:names   HASH    name → manual state, upgrade flag, back
KEYS[13] {disp}:clear   ZSET    lives of peers whose routes are void, by µs
KEYS[14] {disp}:log     STREAM  history
Reply: [1, then twenty-two words for each: peer, state, incarnation, link, process, since, heard, pending until, sessions,
  unacknowledged, buffered ends, held, resync, profile, name, version, capacity, weight, manual state, upgrade flag,
  frames received from it, frames put into its outbox]
Errors: [-1, reason]: "no such group", "script outdated …"
Complexity: O(peers)
Version: 1
]]
--@include open
--@include peers
local reply, keys = { '1' }, call('HKEYS', PEERS)
for first = 1, #keys, 500 do
  local fields = {}
  local last = math.min(first + 499, #keys)
  for i = first, last do
    for _, letter in ipairs({ 'n', 'o', 'a', 'e', 'i' }) do fields[#fields + 1] = letter .. keys[i] end
  end
  local numbers = call('HMGET', SEQS, unpack(fields))
  for i = first, last do
    local p, place = peer_of(keys[i]), (i - first) * 5
    local due = p.state == 'a' and call('ZSCORE', BEATS, p.key)
    local n = not p.front and name_of(p.name)
    local words = { p.key, p.state, p.incarnation, p.link, p.process, p.since, due and int(due - HEARTBEAT) or '', p.till,
      numbers[place + 1] or '0', int((numbers[place + 2] or 0) - (numbers[place + 3] or 0)), numbers[place + 4] or '0',
      p.held, p.resync, p.profile, p.name, p.version, p.capacity, p.weight, n and n.manual or '', n and n.flag or '0',
      int(tonumber(numbers[place + 5]) or 0), int(numbers[place + 2] or 0) }
    for k = 1, #words do reply[#reply + 1] = words[k] end
  end
end
return reply
