-- Link states: pending, active again, stopped; lives of peers whose sessions are void.
local function range(p)
  if p.front then return '[' .. p.id .. '/', '(' .. p.id .. '0' end
  return '[=' .. p.id .. '\t', '(=' .. p.id .. '\n'
end

local function has_routes(p)
  local low, high = range(p)
  return #call('ZRANGEBYLEX', INDEX, low, high, 'LIMIT', 0, 1) > 0
end

-- Entries up to a number leave the outbox; a buffered end that was heard ends its route.
local function acknowledge(p, upto)
  local n = call('HMGET', SEQS, 'a' .. p.key, 'o' .. p.key, 'e' .. p.key)
  local from, ends = (n[1] or 0) + 1, (n[3] or 0) + 0
  local last = math.min(upto, (n[2] or 0) + 0)
  local heard = 0
  for first = from, last, 500 do
    local fields = {}
    for number = first, math.min(first + 499, last) do fields[#fields + 1] = p.key .. '\t' .. int(number) end
    if ends > 0 then
      local entries = call('HMGET', OUT, unpack(fields))
      for i = 1, #entries do
        local session = entries[i] and match(entries[i], '^end\t([^\t]*)\tbuffered\t')
        if session then
          heard = heard + 1
          local route = call('HGET', ROUTES, session)
          if route and find(route, '\te[fb]\t') then
            call('HDEL', ROUTES, session)
            call('ZREM', TIMERS, session)
            call('ZREM', INDEX, session, '=' .. match(route, '^[^\t]*') .. '\t' .. session)
          end
        end
      end
    end
    call('HDEL', OUT, unpack(fields))
  end
  if last >= from then call('HSET', SEQS, 'a' .. p.key, int(last)) end
  if heard > 0 then call('HINCRBY', SEQS, 'e' .. p.key, -heard) end
  return math.max(0, last - from + 1)
end

-- Frames that the peer has not acknowledged are gone; numbering goes on from what it has.
local function drop_outbox(p)
  local n = call('HMGET', SEQS, 'o' .. p.key, 'a' .. p.key)
  local from, last = (n[2] or 0) + 1, (n[1] or 0) + 0
  for first = from, last, 500 do
    local fields = {}
    for number = first, math.min(first + 499, last) do fields[#fields + 1] = p.key .. '\t' .. int(number) end
    call('HDEL', OUT, unpack(fields))
  end
  call('HSET', SEQS, 'o' .. p.key, int(from - 1))
  call('HDEL', SEQS, 'e' .. p.key)
end

-- Both numberings begin anew.
local function renumber(p)
  drop_outbox(p)
  call('HSET', SEQS, 'i' .. p.key, 0, 'o' .. p.key, 0, 'a' .. p.key, 0)
end

local stop

-- Every back that has sessions, void ones too, is told once that a front is lost, in this step:
-- before any new session of that front. One that has no room even for this is stopped.
local function tell_backs(p, reason)
  local flat = call('HVALS', NAMES)
  for i = 1, #flat do
    local id = match(flat[i], '^%a\t%d\t([^\t]*)')
    local b = id ~= '' and peer_of('b:' .. id)
    if b and b.state ~= 's' and has_routes(b) then
      if has_room(b) then
        push(b, 'peer-lost', '', p.id, reason, 'null')
      else
        close_link(b, '1013', 'behind')
        stop(b, 'lost', 'behind')
      end
    end
  end
end

-- The peer's sessions are void from now on, in O(1); sweeps remove their routes. What: lost,
-- restart, block. Returns how many live ones there were.
local function void(p, what)
  local n = (call('HGET', SEQS, 'n' .. p.key) or 0) + 0
  if has_routes(p) then
    call('ZADD', CLEAR, 'NX', at, p.key .. '\t' .. p.epoch .. '\t' .. what)
    redis.pcall('PUBLISH', 'timers:new', GROUP)
  end
  p.epoch = int(p.epoch + 1)
  call('HSET', SEQS, 'n' .. p.key, 0)
  if not p.front then
    weigh(p, 0)
  elseif n > 0 then
    tell_backs(p, what == 'lost' and 'front-end lost' or 'front-end restarted')
  end
  return n
end

local function pend(p, reason)
  p.state, p.since, p.till = 'p', at, int(now + DISCONNECT)
  keep_peer(p)
  call('ZREM', BEATS, p.key)
  call('ZADD', GONE, p.till, p.key)
  if not p.front then call('ZREM', READY, p.id) end
  log('pending', p.key, p.name, '', '', reason)
end

-- `ago`: how many µs ago it was heard, when not just now.
local function beats(p, ago)
  call('ZADD', BEATS, int(now + HEARTBEAT - (ago or 0)), p.key)
end

local function revive(p, ago)
  p.state, p.since, p.till = 'a', at, ''
  keep_peer(p)
  call('ZREM', GONE, p.key)
  beats(p, ago)
  if not p.front then settle(p) end
  log('active', p.key, p.name)
end

-- Nothing of a stopped peer is left when its last route is; until then its record keeps the epoch.
local function forget(p)
  call('HDEL', PEERS, p.key)
  call('HDEL', SEQS, 'n' .. p.key)
  known[p.key] = false
end

function stop(p, what, reason)
  call('ZREM', BEATS, p.key)
  call('ZREM', GONE, p.key)
  drop_outbox(p)
  call('HDEL', SEQS, 'i' .. p.key, 'o' .. p.key, 'a' .. p.key)
  p.state, p.since, p.till, p.link, p.process, p.held, p.resync = 's', at, '', '', '', '0', '0'
  if not p.front then
    call('ZREM', READY, p.id)
    local n = name_of(p.name)
    if n and n.back == p.id then
      n.back = ''
      keep_name(n)
    end
  end
  local n = void(p, what)
  log('stopped', p.key, p.name, '', int(n), reason)
  if has_routes(p) then keep_peer(p) else forget(p) end
end

-- A silent peer that no sweep has noticed yet is pending. Only sweeps stop one: it is in time until then.
local function catch_up(p)
  if not p then return nil end
  local due = p.state == 'a' and call('ZSCORE', BEATS, p.key)
  if due and due + 0 <= now then pend(p, 'silent') end
  return p.state ~= 's' and p or nil
end
