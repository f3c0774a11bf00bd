--[[ line/sweep
Purpose: What time brings, a bounded piece: visitors and agents who fell silent, offers, wrap-ups, longest waits, skills that relax, queues without agents, the opening after a loss.
KEYS[1] {line.desk}           HASH    settings, generation, seq, skills, counters
KEYS[2] {line.desk}:queues    HASH    queue → settings
KEYS[3] {line.desk}:visits    HASH    visit → state
KEYS[4] {line.desk}:agents    HASH    agent → state
KEYS[5] {line.desk}:waiting   ZSET    everybody in a queue, in order
KEYS[6] {line.desk}:ready     ZSET    those of them who can be matched
KEYS[7] {line.desk}:free      ZSET    agents who can take a visitor, per queue
KEYS[8] {line.desk}:timers    ZSET    what time brings, by ms
KEYS[9] {line.desk}:log       STREAM  one entry per change
KEYS[10] {line.desk}:calls    ZSET    visits with a call back, by the ms at which it is looked at
ARGV[1] batch          how many timers at most, 1 to 1 000
ARGV[2] heard_since    ms; since when the service hears people without a break; "now": it does not hear them; 0 = always
ARGV[3] patience       ms, 0 if left out; above 0: nothing is done unless something has been due for so long, or no sweep came for 2 s
Reply: [more, seq, handled, now, next]; more = 1: call again at once; now and next in µs: nothing is due before next
Errors: "no such desk", "script outdated …", "malformed batch", "malformed heard_since", "malformed patience"
Complexity: O(batch × (log n + skill sets))
Version: 1
]]
--@include open
--@include records
--@include matching
--@include moves

local batch, opened = tonumber(ARGV[1]), false
if not batch or batch < 1 or batch > 1000 or batch % 1 ~= 0 then return { 'malformed batch' } end
local told = ARGV[2] or ''
if told ~= 'now' and not find(told, '^%d+$') then return { 'malformed heard_since' } end
if not find(ARGV[3] or '0', '^%d+$') then return { 'malformed patience' } end
local patience, known = (ARGV[3] or 0) + 0, call('HMGET', DESK, 'heard', 'walked', 'opens_at', 'steady', 'ahead', 'opens_in')
local walked_ago = math.abs(now_ms - (known[2] or 0))
if patience > 0 then
  local next_ms = earliest(now_ms + 1000, TIMERS)
  if status == 'r' and known[3] then next_ms = math.min(next_ms, known[3] + 0) end
  if next_ms + patience > now_ms and walked_ago < 2000 then
    return { '0', int(seq), '0', int(now), int(next_ms * 1000) }
  end
end
-- Nobody swept for 5 s: the service was away, or the clock has stepped. Silence counts from now, and what is due waits for
-- 5 s, in which the monitors notice a step; once a minute at most, so that sweeps which are always late get something done.
local steady = known[4] or '0'
if known[2] and walked_ago > 5000 and (now_ms < steady + 0 or now_ms - steady > 60000) then steady = int(now_ms) end
local holds = steady + 5000 > now_ms
heard_since = told == 'now' and now_ms or math.max(told, steady)
if known[1] ~= told then call('HSET', DESK, 'heard', told) end
if status == 'r' then
  local opens = known[3]
  if opens and known[6] and opens - now_ms > known[6] + 0 then
    opens = int(now_ms + known[6])
    call('HSET', DESK, 'opens_at', opens)
  end
  if opens and opens + 0 <= now_ms and not holds then
    status, opened = 'o', true
    call('HSET', DESK, 'conf', 'o')
    call('HDEL', DESK, 'opens_at')
    log('opened', 'w', 'recovered')
    -- Whoever came back is matched by the walk over free agents below.
  end
end
local place = now < h[3] + 0 and '0' or known[5]
if place then
  if not holds then
    --@include ahead
  end
  if place == '0' and not holds then call('HDEL', DESK, 'ahead') else call('HSET', DESK, 'ahead', place) end
end
local due = holds and {} or call('ZRANGEBYSCORE', TIMERS, '-inf', int(now_ms), 'LIMIT', 0, batch)
local handled = 0
-- Silence counts from the moment at which people could be heard again: an outage of the service is nobody's silence.
local function unheard(timer, ms)
  if heard_for(ms) then return false end
  call('ZADD', TIMERS, int(heard_since + ms), timer)
  return true
end
local function visitor(id)
  local v = visit_of(id)
  if not v then return end
  local q = queue_of(v.queue)
  local ttl, room_grace = q and q.ttl or 15000, q and q.room_grace or 90000 -- a room may outlive its queue
  if v.state == 'e' then
    call('HDEL', VISITS, id)
  elseif unheard('v' .. id, silence_of(v)) then
    return
  elseif v.state == 'a' then
    end_visit(v, 'lost', 'sweep')
  elseif v.state == 'r' and v.token == '-' and room_grace > ttl then
    v.token = int(now_ms)
    keep_visit(v)
    call('ZADD', TIMERS, int(now_ms + room_grace - ttl), 'v' .. id)
    log('room_away', 'v', id, 'a', v.agent, 'q', v.queue)
    tell('room_away', '-', v.agent)
  elseif v.state == 'r' then
    local a = agent_of(v.agent)
    end_visit(v, 'visitor lost', 'sweep')
    free_slot(a, v, false)
    match_agent(a)
    keep_agent(a)
  else
    local a = v.state == 'o' and agent_of(v.agent)
    visitor_away(v)
    if a then
      drop_slot(a, 'o' .. id)
      call('ZREM', TIMERS, 'o' .. a.id)
      settle(a)
      match_agent(a)
      keep_agent(a)
    end
  end
end
local function agent_silent(id)
  local a = agent_of(id)
  if not a or a.state == 'x' then return end
  local grace = agent_grace(a)
  if unheard('a' .. id, a.away and grace or a.ttl) then return end
  if not a.away and grace > a.ttl then
    local offered = a.offered and visit_of(a.offered)
    if offered then
      drop_slot(a, 'o' .. offered.id)
      call('ZREM', TIMERS, 'o' .. id)
    end
    agent_away(a)
    if offered then
      requeue(offered, 'withdrawn', 'agent_away')
      match_visit(offered)
    end
    return
  end
  a.state, a.pending, a.word = 'x', '-', 'lost'
  call('ZREM', TIMERS, 'o' .. id, 'w' .. id)
  log('agent_lost', 'a', id)
  give_back(a, 'agent_lost')
  online(a, -1)
  tell('agent', '-', id)
end
local function offer_over(id)
  local a = agent_of(id)
  if not a or not a.offered then return end
  local v = visit_of(a.offered)
  local q = queue_of(v.queue)
  if unheard('o' .. id, q and q.offer or 0) then return end
  drop_slot(a, 'o' .. v.id)
  a.misses = a.misses + 1
  a.since = int(now_ms)
  log('miss', 'a', id, 'v', v.id, 'n', int(a.misses))
  if q and q.misses > 0 and a.misses >= q.misses then
    a.pending, a.word = 'p', 'missed_offers'
    settle(a)
  else
    settle(a)
  end
  local stood = a.pending
  if stood == '-' and a.state == 'o' then a.pending = 'd' end
  keep_agent(a)
  requeue(v, 'missed', 'offer_missed')
  match_visit(v)
  if stood == '-' and a.state == 'o' then
    a = agent_of(id)
    a.pending = '-'
    match_agent(a)
    keep_agent(a)
  end
  tell('agent', '-', id)
end
local function wrapped(id)
  local a = agent_of(id)
  if not a then return end
  local next_end
  for slot in slots_of(a) do
    local ends = tonumber(match(slot, '^w(%d+)$'))
    if ends and ends <= now_ms then drop_slot(a, slot)
    elseif ends and (not next_end or ends < next_end) then next_end = ends end
  end
  if next_end then call('ZADD', TIMERS, int(next_end), 'w' .. id) end
  log('ready', 'a', id)
  settle(a)
  match_agent(a)
  keep_agent(a)
  tell('agent', '-', id)
end
local function waited(id)
  local v = visit_of(id)
  if not v or (v.state ~= 'w' and v.state ~= 'a') then return end
  local q = queue_of(v.queue)
  if q and q.overflow ~= '0' and into(v, q.overflow) then
    v.state = v.was
    if v.was == 'a' then
      local d = delta(v)
      keep_visit(v)
      log('overflow', 'v', id, 'q', v.queue, 'c', v.class, 't', v.ticket, 'd', d, 'w', 'max_wait')
    else
      requeue(v, 'overflow', 'max_wait')
      call('ZREM', TIMERS, 'm' .. id) -- once: the next queue keeps it
      match_visit(v)
    end
  else
    end_visit(v, 'max wait', 'sweep')
  end
end
local function relaxed(id)
  local v = visit_of(id)
  if not v or not waits(v.state) then return end
  local q = queue_of(v.queue)
  match_visit(v)
  if waits(v.state) and q and q.relax > 0 and now - v.joined < 9 * q.relax then
    call('ZADD', TIMERS, int(now_ms + q.relax / 1000), 'x' .. id)
  end
end
local function nobody(id)
  local q = queue_of(id)
  if not q or q.no_agent == 'w' or (call('HGET', DESK, 'online:' .. id) or '0') ~= '0' then return end
  local from = fmt('%06d', id)
  local some = call('ZRANGEBYLEX', WAITING, '[' .. from, '(' .. from .. '~', 'LIMIT', 0, batch)
  local stuck = 0
  for i = 1, #some do
    local v = visit_of(sub(some[i], 25))
    if q.no_agent == 'o' then
      local over = queue_of(q.overflow)
      if over and into(v, q.overflow) then
        if v.was == 'a' then
          local d = delta(v)
          keep_visit(v)
          log('overflow', 'v', v.id, 'q', v.queue, 'c', v.class, 't', v.ticket, 'd', d, 'w', 'no_agent')
        else
          requeue(v, 'overflow', 'no_agent')
          match_visit(v)
        end
      else
        stuck = stuck + 1
      end
    else
      end_visit(v, q.no_agent == 'f' and 'form' or 'no agent', 'sweep')
    end
  end
  if #some == batch or stuck > 0 then
    call('ZADD', TIMERS, int(now_ms + (stuck > 0 and 5000 or 0)), 'n' .. id)
  end
end
local what = { v = visitor, a = agent_silent, o = offer_over, w = wrapped, m = waited, x = relaxed, n = nobody }
for i = 1, #due do
  -- A step before may have moved it on.
  local score = call('ZSCORE', TIMERS, due[i])
  if score and score + 0 <= now_ms then
    call('ZREM', TIMERS, due[i])
    what[sub(due[i], 1, 1)](sub(due[i], 2))
    handled = handled + 1
  end
end
-- What every other trigger missed, if anything: the head of each line looks once more, once a second.
local function walk()
  local ids = call('HKEYS', QUEUES)
  for i = 1, #ids do
    local q = queue_of(ids[i])
    for need = 0, q.mode == 'm' and -1 or needs do
      for class = need == 0 and 0 or 1, need == 0 and 0 or 9 do
        local from = fmt('%06d%02d%s', ids[i], need, need == 0 and '' or class)
        local head = call('ZRANGEBYLEX', READY, '[' .. from, '(' .. from .. '~', 'LIMIT', 0, 1)[1]
        while head and handled < 2 * batch and match_visit(visit_of(sub(head, 27))) do
          handled = handled + 1
          head = call('ZRANGEBYLEX', READY, '[' .. from, '(' .. from .. '~', 'LIMIT', 0, 1)[1]
        end
      end
    end
  end
end
if opened or walked_ago >= 1000 then
  -- A match believes what it is told here of who could be heard.
  call('HSET', DESK, 'walked', int(now_ms), 'clock', int(now), 'steady', steady)
  if status == 'o' then walk() end
end
--@include close
-- Whatever begins from now on lasts at least a second.
local next_ms = earliest(now_ms + (call('EXISTS', TIMERS) == 1 and 1000 or 60000), TIMERS)
local opens = status == 'r' and call('HGET', DESK, 'opens_at')
if opens then next_ms = math.min(next_ms, opens + 0) end
if holds then next_ms = now_ms + 1000 elseif place and place ~= '0' then next_ms = now_ms end
return { (#due == batch or next_ms <= now_ms) and '1' or '0', int(seq), int(handled), int(now), int(next_ms * 1000) }
