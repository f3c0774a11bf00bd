--[[ line/join
Purpose: A visitor comes: into a room, an offer or the line, or is refused; who is there already keeps the place.
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
ARGV[1] visit          its id
ARGV[2] queue          its id
ARGV[3] class          1 (first) to 9
ARGV[4] skills         "name:level,…" in order of names, or ""
ARGV[5] arrived        µs since 1970 by a token that proves it, or ""
ARGV[6] anyway         1 = waits though no agent is there (a token was shown)
Reply: [answer, seq, ahead, agent, queue, class, ticket, joined, word]; answer: waiting, away, offered, room, ended, or a refusal: no_agent, closed, full
Errors: "no such desk", "script outdated …", "no such queue", "malformed …"
Complexity: O(log n + skill sets), for each of at most 20 silent agents that are passed over
Version: 1
]]
--@include open

local id, queue, class, skills, arrived = ARGV[1], ARGV[2], ARGV[3], ARGV[4] or '', ARGV[5] or ''
if not id or not find(id, '^[%w_-]+$') or #id > 32 then return { 'malformed visit' } end
if not class or not find(class, '^[1-9]$') then return { 'malformed class' } end
if skills ~= '' and not find(skills, '^[a-z0-9-]+:[1-9][a-z0-9:,-]*$') then return { 'malformed skills' } end
if arrived ~= '' and not find(arrived, '^%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d$') then return { 'malformed arrived' } end
local settings = call('HGET', QUEUES, queue)
if not settings then return { 'no such queue' } end
local known = call('HGET', VISITS, id)
--@include join_plain
--@include records
--@include needs
--@include matching
--@include moves
local q = read_queue(queue, settings)
local v = read_visit(id, known)
if v then
  if v.state == 'e' then return state_reply(v) end
  here_again(v)
  --@include close
  return state_reply(v)
end
if arrived == '' then
  if not q.open then return { 'closed', int(seq) } end
  if waiting_of(queue) >= q.most then
    local over = q.overflow ~= '0' and queue_of(q.overflow)
    if not over or not over.open or waiting_of(q.overflow) >= over.most then return { 'full', int(seq) } end
    queue, q = q.overflow, over
  end
  if q.no_agent ~= 'w' and ARGV[6] ~= '1' and (call('HGET', DESK, 'online:' .. queue) or '0') == '0' then
    return { 'no_agent', int(seq) }
  end
end
local need = need_of(skills)
if not need then return { 'malformed skills' } end
-- The ticket is the time of arrival, each one its own: so a place can be proved by the time alone.
local joined = arrived ~= '' and math.min(arrived + 0, now) or now
local ticket = joined
if arrived == '' then
  if ticket <= last_ticket + 0 then ticket = last_ticket + 1 end
  joined = ticket
  if ticket - now > 1000000 then
    --@include tickets
  end
  last_ticket = int(ticket)
end
v = { id = id, state = 'w', queue = queue, class = class, ticket = int(ticket), joined = int(joined), need = need,
  agent = '-', since = int(now_ms), token = '-', word = '-' }
joined_total = int(joined_total + 1)
beat_visit(v, q)
-- Matched at once when an agent is free: nobody ready is before it then, or the agent would be taken.
local a, order
if status == 'o' and q.mode ~= 'm' then a, order = heard_agent(v, q) end
log('join', 'v', id, 'q', queue, 'c', class, 't', v.ticket, 'd', '+', 'n', need)
if a then
  v.told = true
  serve(v, a, q, why_of(order, 'fewest_rooms_longest_idle'))
  keep_agent(a)
else
  keep_visit(v)
  if q.longest > 0 then call('ZADD', TIMERS, int(joined / 1000 + q.longest), 'm' .. id) end
  if need ~= '0' and q.relax > 0 then call('ZADD', TIMERS, int(now_ms + q.relax / 1000), 'x' .. id) end
end
--@include close
return state_reply(v)
