--[[ dispatch/start
Purpose: A front-end begins a session: an instance is chosen, keeps it, and is told.
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
ARGV[1] peer           who sends
ARGV[2] link           the token of its socket
ARGV[3] number         of the peer's own sequence, from 1
ARGV[4] word           the session's name at its front-end
ARGV[5] key            for sharing by key, or ""
ARGV[6] ttl            seconds of a timed route, or ""
ARGV[7] body           JSON text
Reply: [1 routed, 0 refused, 2 repeat; peer, name, reason, released]; released 1: its held frames may go
Errors: [-1, reason]: "no such group", "script outdated …", "malformed …", "no such peer", "replaced", "gap", "behind"; reasons of 0: session exists, no sessions in this profile,
  not yours, all full, none open, peer full, recovering
Complexity: O(log n); by key + 64 points at a time, 4 096 at most
Version: 1
]]
local NEW_NUMBERING = false
--@include open
--@include peers
--@include states
--@include routes
--@include untils
--@include choosing
--@include profiles
local WHAT = 'start'
--@include inbound
local word, key, ttl, body = ARGV[4] or '', ARGV[5] or '', ARGV[6] or '', ARGV[7] or 'null'
if #word > 39 or not find(word, '^%w[%w._:@+~-]*$') then return { '-1', 'malformed session' } end
if #key > 80 or find(key, '%c') then return { '-1', 'malformed key' } end
if ttl ~= '' and (not find(ttl, '^[1-9]%d*$') or #ttl > 8) then return { '-1', 'malformed ttl' } end
if #body > 65536 then return { '-1', 'malformed body' } end
local session = me.id .. '/' .. word
end_untils()
local routes = me.front and PROFILES[me.profile].routes
local old = routes and route_of(session)
local f, b
if old then f, b = ends_of(old) end
local reason, back
if not me.front then reason = 'not yours'
elseif routes == 'n' then reason = 'no sessions in this profile'
elseif old and (old.flags == 'pb' and b or old.flags == '' and f and b and old.why == 'restored' and old.nf == '0') then
  -- Sent again after the group's data was lost: the back has it already.
  accept()
  if old.flags == 'pb' then
    old.fe, old.flags = me.epoch, ''
    keep_route(old)
    set_timer(old)
    redis.pcall('PUBLISH', 'timers:new', GROUP)
    call('ZADD', INDEX, 0, session)
    load(me, 1)
    add('restored')
  end
  --@include close
  return routed(b)
elseif old and (f or sub(old.flags, 1, 1) == 'p') then reason = sub(old.flags, 1, 1) == 'e' and 'session ending' or 'session exists'
else
  local id
  id, reason = choose(key ~= '' and key or session)
  back = id and peer_of('b:' .. id)
  if back and unacked(back) >= OUT_LIMIT then reason = 'peer full' end
end
local reply
if reason then
  reply = refuse(reason, session)
else
  accept()
  if old then remove_route(old) end -- of a life before, which no sweep has removed yet
  local timed = routes == 't' or ttl ~= ''
  local goes = now + (ttl ~= '' and ttl * 1000000 or TIMED)
  local why = sharing == 'k' and (key ~= '' and 'key:' .. key or 'key') or sharing == 't' and 'turn' or 'least'
  if sharing == 't' then
    local turn = call('ZSCORE', READY, back.id)
    call('HSET', GROUP, 'turn', turn)
    call('ZADD', READY, fmt('%.17g', turn + 1 / back.weight), back.id)
  end
  local new = { session = session, back = back.id, fe = me.epoch, be = back.epoch, started = at,
    deadline = timed and int(goes) or '', flags = '', nf = '0', nb = '0', why = why }
  keep_route(new)
  if timed then
    set_timer(new)
    if goes - now < shortest_term() then redis.pcall('PUBLISH', 'timers:new', GROUP) end
  end
  call('ZADD', INDEX, 0, session, 0, '=' .. back.id .. '\t' .. session)
  load(me, 1)
  load(back, 1)
  push(back, 'start', session, me.id, '', body)
  add('started')
  reply = routed(back)
end
--@include close
return reply
