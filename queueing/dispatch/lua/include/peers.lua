-- Peers and names as tables, their texts, the outboxes, the history. Everything here may write.
-- A peer: state a active, p pending, s stopped; incarnation, link, process; profile of a front;
-- name, version, capacity, weight of a back; epoch (raised when its sessions are void), since,
-- till (µs at which it is stopped, or ""), held (its outbox waits for its first frame), resync
-- (1 = it has not told all its sessions yet), life (the epoch in which its process began: blocking
-- raises the epoch only). A name: manual o open, d drain, b blocked; flag 1 =
-- an upgrade drains it; back = the id of the instance under it; until µs; weight of its points.
local HEARTBEAT, DISCONNECT = sub(conf, 4, 7) * sub(conf, 8, 9) * 1000000, sub(conf, 10, 14) * 1000000
local OUT_LIMIT, ENDS_LIMIT = sub(conf, 30, 34) + 0, sub(conf, 35, 40) + 0
local known, added = {}, {}

-- Whether nobody may be called silent yet. A group in use is asked for several times in 3 s: by the
-- processes that hold its sockets (links/hub.py) and by the timers. When nobody asked for so long,
-- Redis or the service was away, or the clock has stepped: heartbeats that were sent could not be
-- heard, and everyone has one limit to come. close.lua writes what is found here.
local was_away, listens_at = math.abs(now - head[3]) > 3000000, (head[10] or 0) + 0
if was_away then listens_at = now + HEARTBEAT end
local deaf = listens_at > now and listens_at - now <= HEARTBEAT

local function add(counter, n) added[counter] = (added[counter] or 0) + (n or 1) end

local function log(event, peer, name, other, count, reason, data)
  seq = append(LOG, seq, head[7], head[8], now, 'e', concat({ event, peer or '', name or '', other or '', count or '',
    reason or '', data or '' }, '\t'))
end

local function peer_of(key)
  local p = known[key]
  if p ~= nil then return p or nil end
  local text = call('HGET', PEERS, key)
  if not text then
    known[key] = false
    return nil
  end
  local state, incarnation, link, process, profile, name, version, capacity, weight, epoch, since, till, held, resync, life =
    match(text, '^(%a)\t([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)\t(%d*)\t(%d*)\t(%d+)\t(%d+)\t(%d*)\t(%d)\t(%d)\t(%d+)$')
  p = { key = key, id = sub(key, 3), front = sub(key, 1, 1) == 'f', state = state, incarnation = incarnation,
    link = link, process = process, profile = profile, name = name, version = version, capacity = capacity,
    weight = weight, epoch = epoch, since = since, till = till, held = held, resync = resync, life = life }
  known[key] = p
  return p
end

local function keep_peer(p)
  known[p.key] = p
  call('HSET', PEERS, p.key, concat({ p.state, p.incarnation, p.link, p.process, p.profile, p.name, p.version,
    p.capacity, p.weight, p.epoch, p.since, p.till, p.held, p.resync, p.life }, '\t'))
end

local function name_of(name)
  local text = call('HGET', NAMES, name)
  if not text then return nil end
  local manual, flag, back, till, weight = match(text, '^(%a)\t(%d)\t([^\t]*)\t(%d*)\t(%d*)$')
  return { name = name, manual = manual, flag = flag, back = back, till = till, weight = weight }
end

local function keep_name(n)
  call('HSET', NAMES, n.name, concat({ n.manual, n.flag, n.back, n.till, n.weight }, '\t'))
end

-- How many frames a peer has not acknowledged.
local function unacked(p)
  local n = call('HMGET', SEQS, 'o' .. p.key, 'a' .. p.key)
  return (n[1] or 0) - (n[2] or 0)
end

-- Whether the dispatcher itself may still tell a peer: there is head-room above out_limit for that.
local function has_room(p) return unacked(p) < OUT_LIMIT + ENDS_LIMIT end

-- One frame into a peer's outbox, and to the process that has its socket.
local function push(p, kind, session, peer, reason, body)
  local number = int(call('HINCRBY', SEQS, 'o' .. p.key, 1))
  local entry = concat({ kind, session, peer, reason, body }, '\t')
  call('HSET', OUT, p.key .. '\t' .. number, entry)
  if p.state == 'a' and p.held == '0' then
    redis.pcall('PUBLISH', 'dispatch:to:' .. p.process, concat({ SLUG, p.key, p.link, number, entry }, '\t'))
  end
end

-- An end for a pending peer is buffered as an id, without its body, and counted.
local function push_end(p, session, reason, body)
  if p.state == 'p' then
    call('HINCRBY', SEQS, 'e' .. p.key, 1)
    push(p, 'end', session, 'buffered', reason, 'null')
  else
    push(p, 'end', session, '', reason, body)
  end
end

local function close_link(p, code, reason)
  if p.link ~= '' then
    redis.pcall('PUBLISH', 'dispatch:to:' .. p.process, concat({ SLUG, p.key, p.link, 'close', code, reason }, '\t'))
  end
end

-- A back's load has changed: its place in READY, if it stands there. Full ones stand behind all.
local function weigh(p, n)
  local was = call('ZSCORE', READY, p.id)
  if not was then return end
  local score
  if n >= p.capacity + 0 then
    score = 1e15 + n / p.weight
  elseif sharing ~= 't' then
    score = n / p.weight
  elseif was + 0 >= 1e15 then
    score = (call('HGET', GROUP, 'turn') or 0) + 1 / p.weight
  else
    return
  end
  call('ZADD', READY, fmt('%.17g', score), p.id)
end

-- Whether a back may be given sessions has perhaps changed.
local function settle(p)
  local n = name_of(p.name)
  if p.state ~= 'a' or p.resync == '1' or n.manual ~= 'o' or n.flag == '1' then
    call('ZREM', READY, p.id)
    return
  end
  local turn = (call('HGET', GROUP, 'turn') or 0) + 1 / p.weight
  call('ZADD', READY, 'NX', fmt('%.17g', sharing == 't' and turn or 0), p.id)
  weigh(p, (call('HGET', SEQS, 'n' .. p.key) or 0) + 0)
end
