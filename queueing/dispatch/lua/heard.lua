--[[ dispatch/heard
Purpose: Frames came over these links: their peers are active for another limit.
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
ARGV[1] process        token of the web process that holds them
ARGV[2+] links         triples: peer, link, how many µs ago its last frame came; 500 at most, none: the process
  only says that it listens
Reply: [1, then for each: last number of its outbox, 1 = the link is the peer's, 1 = its held frames may go]
Errors: [-1, reason]: "no such group", "script outdated …", "malformed …"
Complexity: O(links × log n)
Version: 1
]]
--@include open
--@include peers
--@include states
if #ARGV % 3 ~= 1 or #ARGV > 1501 then return { '-1', 'malformed links' } end
for i = 4, #ARGV, 3 do
  if not find(ARGV[i], '^%d+$') or #ARGV[i] > 15 then return { '-1', 'malformed links' } end
end
local reply = { '1' }
for i = 2, #ARGV, 3 do
  local p = peer_of(ARGV[i])
  if p and p.state == 's' then p = nil end
  local released = '0'
  if p and p.link == ARGV[i + 1] then
    if p.held == '1' then
      p.held, released = '0', '1'
      keep_peer(p)
    end
    local ago = math.min(ARGV[i + 2], HEARTBEAT / 2)
    if p.state == 'p' then revive(p, ago) else beats(p, ago) end
    reply[#reply + 1] = call('HGET', SEQS, 'o' .. p.key) or '0'
    reply[#reply + 1] = '1'
  else
    reply[#reply + 1] = '0'
    reply[#reply + 1] = '0'
  end
  reply[#reply + 1] = released
end
--@include close
return reply
