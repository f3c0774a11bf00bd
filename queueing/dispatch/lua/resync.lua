--[[ dispatch/resync
Purpose: A peer tells sessions that it has: named by both ends they are restored, by one only they are provisional.
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
ARGV[1] peer           who tells
ARGV[2] link           the token of its socket
ARGV[3] last           1 = these were all
ARGV[4+] sessions      triples: session, id or name of the other end or "", deadline µs or ""; 1 000 at most
Reply: [1, restored, provisional, freed, last]
Errors: [-1, reason]: "no such group", "script outdated …", "malformed …", "no such peer", "replaced", "behind" (no room to
  answer: tell them again)
Complexity: O(sessions × log n)
Version: 1
]]
--@include open
--@include peers
--@include states
--@include routes
if #ARGV < 3 or #ARGV % 3 ~= 0 or #ARGV > 3003 then return { '-1', 'malformed sessions' } end
if ARGV[3] ~= '0' and ARGV[3] ~= '1' then return { '-1', 'malformed last' } end
for i = 4, #ARGV, 3 do
  if #ARGV[i] > 80 or not find(ARGV[i], '^%w[%w._-]*/%w[%w._:@+~-]*$') then return { '-1', 'malformed session' } end
  if #ARGV[i + 1] > 40 or not find(ARGV[i + 1], '^[%w._-]*$') then return { '-1', 'malformed other' } end
  if not find(ARGV[i + 2], '^%d*$') or #ARGV[i + 2] > 16 then return { '-1', 'malformed deadline' } end
end
local me = peer_of(ARGV[1])
if not me or me.state == 's' then return { '-1', 'no such peer' } end
if me.link ~= ARGV[2] then return { '-1', 'replaced' } end
if unacked(me) + (#ARGV - 3) / 3 > OUT_LIMIT + ENDS_LIMIT then return { '-1', 'behind' } end
local restored, provisional, freed = 0, 0, 0

local function free(session, reason)
  push(me, 'free', session, '', reason, 'null')
  freed = freed + 1
end

-- The second end has named it: it goes on as any other.
local function restore(r)
  if me.front then r.fe = me.epoch else r.be, r.back = me.epoch, me.id end
  r.flags = ''
  keep_route(r)
  set_timer(r)
  call('ZADD', INDEX, 0, r.session, 0, '=' .. r.back .. '\t' .. r.session)
  load(me, 1)
  add('restored')
  restored = restored + 1
end

local function first_named(session, other, deadline)
  local r = { session = session, front = match(session, '^[^/]*'), back = me.front and other or me.id,
    fe = me.front and me.epoch or '', be = me.front and '' or me.epoch, started = at, deadline = deadline,
    flags = me.front and 'pf' or 'pb', nf = '0', nb = '0', why = 'restored' }
  keep_route(r)
  call('ZADD', TIMERS, int(now + DISCONNECT), session)
  call('ZADD', INDEX, 0, me.front and session or '=' .. me.id .. '\t' .. session)
  load(me, 1)
  provisional = provisional + 1
end

local function same_back(r, said)
  local b = not me.front and me or peer_of('b:' .. r.back)
  local text = me.front and said or r.back
  return text == '' or (b and (text == b.id or text == b.name))
end

local function tell(session, other, deadline)
  local r = route_of(session)
  if me.front and match(session, '^[^/]*') ~= me.id then return free(session, 'not yours') end
  if not r then return first_named(session, other, deadline) end
  local f, b = ends_of(r)
  local mine = me.front and f or not me.front and b and r.back == me.id
  if mine and r.flags == '' then
    restored = restored + 1
  elseif mine and sub(r.flags, 1, 1) == 'p' then
    provisional = provisional + 1
  elseif (me.front and r.flags == 'pb' and b) or (not me.front and r.flags == 'pf' and f) then
    if same_back(r, other) then restore(r) else free(session, 'elsewhere') end
  elseif not me.front and r.back ~= me.id then
    free(session, 'elsewhere')
  else
    free(session, 'no such session')
  end
end

for i = 4, #ARGV, 3 do tell(ARGV[i], ARGV[i + 1], ARGV[i + 2]) end
add('freed', freed)
if restored > 0 then redis.pcall('PUBLISH', 'timers:new', GROUP) end -- deadlines that it told may be near
if ARGV[3] == '1' and me.resync == '1' then
  me.resync = '0'
  keep_peer(me)
  local n = (call('HGET', SEQS, 'n' .. me.key) or 0) + 0
  log('resynced', me.key, me.name, '', int(n))
  if not me.front then
    if name_of(me.name).manual == 'b' then
      void(me, 'block')
      keep_peer(me)
    end
    settle(me)
  end
end
--@include close
return { '1', int(restored), int(provisional), int(freed), ARGV[3] }
