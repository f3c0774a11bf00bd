--[[ dispatch/resync
Purpose: A peer reports its sessions. A session that both ends report is restored. One that only one end reports is
  provisional.
KEYS as dispatch/start
ARGV[1] peer           the sender
ARGV[2] link           the token of its socket
ARGV[3] last           1 = these were all
ARGV[4+] sessions      triples: session, id or name of the other end or "", deadline µs or ""; 1 000 at most
Reply: [1, restored, provisional, freed, last]
Errors: [-1, reason]: "no such group", "script outdated …", "malformed …", "no such peer", "replaced",
  "behind" (no room to answer: tell them again)
Complexity: O(sessions × log n)
Version: 1
]]
local MOST, WORDS = 1000, 3
local SESSION = '^%w[%w._-]*/%w[%w._:@+~-]*$'
local refusal = group.open(KEYS[1])
if refusal then return refusal end
local last = ARGV[3] or ''
if #ARGV < 3 or #ARGV % WORDS ~= 0 or #ARGV > 3 + MOST * WORDS then return checks.refusal('malformed sessions') end
if not is_flag(last) then return checks.refusal('malformed last') end
for place = 4, #ARGV, WORDS do
  local session, other, deadline = unpack(ARGV, place, place + WORDS - 1)
  local is_session = #session <= checks.SESSION_BYTES and string.find(session, SESSION)
  if not is_session then return checks.refusal('malformed session') end
  if not checks.is_plain(other) then return checks.refusal('malformed other') end
  if not checks.is_time_or_none(deadline) then return checks.refusal('malformed deadline') end
end
local peer, refused = peers.with_link(ARGV[1], ARGV[2])
if not peer then return refused end
local told = (#ARGV - 3) / WORDS
if frames.unacked(peer) + told > group.conf.most_frames then return checks.refusal('behind') end

-- The peer must free it.
local function free(session, reason)
  frames.push(peer, 'free', session, '', reason, 'null')
  return 'freed'
end

-- Nobody has named it before.
local function note(session, other, deadline)
  local route = {
    session = session,
    front = routes.front_of(session),
    back = peer.is_front and other or peer.id,
    front_epoch = peer.is_front and peer.epoch or '',
    back_epoch = peer.is_front and '' or peer.epoch,
    started = group.at,
    deadline = deadline,
    state = 'provisional',
    side = peer.is_front and 'front' or 'back',
    from_front = '0',
    from_back = '0',
    offered = '',
    why = 'restored',
  }
  routes.write(route)
  redis.call('ZADD', group.tag .. ':timers', group.after(group.conf.disconnect_us), session)
  local member = peer.is_front and session or routes.of_back(peer.id, session)
  redis.call('ZADD', group.tag .. ':index', 0, member)
  routes.load(peer, 1)
  return 'provisional'
end

-- The second end has named it: it goes on as any other.
local function restore(route)
  if peer.is_front then
    route.front_epoch = peer.epoch
  else
    route.back_epoch, route.back = peer.epoch, peer.id
  end
  route.state, route.side = 'live', ''
  routes.write(route)
  routes.set_timer(route)
  routes.add_to_index(route)
  routes.load(peer, 1)
  group.count('restored')
  return 'restored'
end

-- Whether the front, now or before, has named the instance that has it, or none.
local function is_same_back(route, other)
  local back = not peer.is_front and peer or peers.back(route.back)
  local named = peer.is_front and other or route.back
  return named == '' or (back and (named == back.id or named == back.name))
end

-- One session: other is the id or the name of the other end, or ''; deadline µs or ''. Returns restored,
-- provisional or freed.
local function take(session, other, deadline)
  if peer.is_front and routes.front_of(session) ~= peer.id then return free(session, 'not yours') end
  local route = routes.of(session)
  if not route then return note(session, other, deadline) end
  local own_end, other_end = routes.ends_of(route)
  if not peer.is_front then own_end, other_end = route.back == peer.id and other_end, own_end end
  if own_end and route.state == 'live' then return 'restored' end
  if own_end and route.state == 'provisional' then return 'provisional' end
  local is_awaited = route.state == 'provisional' and route.side == (peer.is_front and 'back' or 'front')
  if is_awaited and other_end then
    if is_same_back(route, other) then return restore(route) end
    return free(session, 'elsewhere')
  end
  if not peer.is_front and route.back ~= peer.id then return free(session, 'elsewhere') end
  return free(session, 'no such session')
end

-- It has told all: it may be given new sessions, unless its name was blocked meanwhile.
local function finish()
  if not peer.is_telling then return end
  peer.is_telling = false
  peers.write(peer)
  peers.log('resynced', peer, '', peers.sessions(peer))
  if peer.is_front then return end
  if names.of(peer.name).manual == 'blocked' then
    lives.void(peer, 'block')
    peers.write(peer)
  end
  ready.settle(peer)
end

local counts = { restored = 0, provisional = 0, freed = 0 }
for place = 4, #ARGV, WORDS do
  local outcome = take(ARGV[place], ARGV[place + 1], ARGV[place + 2])
  counts[outcome] = counts[outcome] + 1
end
group.count('freed', counts.freed)
if counts.restored > 0 then tell_timers(group.tag) end -- deadlines that it told may be near
if last == '1' then finish() end
group.close()
return { '1', string.format('%d', counts.restored), string.format('%d', counts.provisional),
  string.format('%d', counts.freed), last }
