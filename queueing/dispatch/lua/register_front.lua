--[[ dispatch/register_front
Purpose: A front-end registers: new, a reconnect, a restart, or a new socket in the place of the old one.
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
ARGV[1] id             its own, or "" where its profile has none
ARGV[2] profile        SIP BICC SMP CMPP HTTP
ARGV[3] incarnation    its boot id, or ""
ARGV[4] link           token of its socket
ARGV[5] process        token of the web process that holds the socket
ARGV[6] received       the last number that it has had from the dispatcher
Reply: [1, peer, arrival, received, sent, acked, process and link that were replaced, held, resync]; arrival: new
  reconnect restart takeover; received: the last number that the dispatcher has
Errors: [-1, reason]: "no such group", "script outdated …", "malformed …", "taken", "too many peers"
Complexity: O(log n + frames that it has + backs)
Version: 1
]]
--@include open
--@include peers
--@include states
--@include profiles
--@include arriving
local id, profile = ARGV[1] or '', PROFILES[ARGV[2] or '']
if not profile then return { '-1', 'malformed profile' } end
local wrong = malformed(ARGV[3], ARGV[4], ARGV[5], ARGV[6])
if wrong then return { '-1', wrong } end
if profile.own then
  if #id > 40 or not find(id, '^%w[%w._-]*$') then return { '-1', 'malformed id' } end
elseif id ~= '' then
  return { '-1', 'malformed id' } -- its profile has none: it is given one
end
if not profile.own then
  repeat
    id = fmt('c%x-%d', now, call('HINCRBY', GROUP, 'offered', 1))
  until not call('HGET', PEERS, 'f:' .. id)
end
local p = catch_up(peer_of('f:' .. id))
if p and p.state == 'a' and (p.incarnation ~= ARGV[3] or p.profile ~= ARGV[2]) then
  --@include close
  return { '-1', 'taken' }
end
if not p and call('HLEN', PEERS) >= 2000 then
  --@include close
  return { '-1', 'too many peers' }
end
local arrival
if not p then
  local returns = profile.arrival ~= 'n' and (ARGV[6] + 0 > 0 or status == 'r')
  arrival = returns and 'reconnect' or 'new'
elseif p.state == 'a' then
  arrival = profile.arrival == 'n' and 'new' or 'takeover'
elseif p.profile ~= ARGV[2] or other_life(p, ARGV[3]) then
  arrival = 'restart'
else
  arrival = profile.arrival == 'n' and 'new' or 'reconnect'
end
local gone = p or peer_of('f:' .. id) -- a stopped one whose routes are still being removed keeps its epoch
local new = { key = 'f:' .. id, id = id, front = true, profile = ARGV[2], name = '', version = '', capacity = '',
  weight = '', epoch = gone and gone.epoch or '1' }
return arrive(p, new, arrival, profile.arrival == 'c' and p ~= nil, ARGV[3], ARGV[4], ARGV[5], ARGV[6])
