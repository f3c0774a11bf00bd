--[[ line/transfer
Purpose: A visitor goes to another agent or queue of the desk, out of a room or out of the line, at the place of arrival.
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
ARGV[2] to             a agent, q queue
ARGV[3] target         its id
ARGV[4] class          new class, or ""
ARGV[5] front          1 = before all of its class
ARGV[6] by             who, for the history
Reply: [answer, seq, ahead, agent, queue, class, ticket, joined, word]; or a refusal: gone, ended, no_room (the agent has none, or one of the two is silent), full, no such queue
Errors: "no such desk", "script outdated …", "malformed …"
Complexity: O(log n + skill sets)
Version: 1
]]
--@include open
--@include records
--@include matching
--@include moves

local v = visit_of(ARGV[1])
if not v then return { 'gone', int(seq) } end
if v.state == 'e' then return state_reply(v) end
local to, target, class = ARGV[2], ARGV[3] or '', ARGV[4] or ''
if to ~= 'a' and to ~= 'q' then return { 'malformed to' } end
if class ~= '' and not find(class, '^[1-9]$') then return { 'malformed class' } end
local by, other = clean(ARGV[6]), nil
if to == 'a' then
  if v.agent == target and v.state == 'r' then return state_reply(v) end
  other = agent_of(target)
  if not other or other.state ~= 'o' or other.away or other.pending ~= '-' or other.used >= other.capacity
    or (other.offered and other.offered ~= v.id) or v.state == 'a' or agent_is_silent(other)
    or (waits(v.state) and visitor_is_silent(v)) then return { 'no_room', int(seq) } end
else
  if not queue_of(target) then return { 'no such queue' } end
  if target ~= v.queue and waiting_of(target) >= queue_of(target).most then return { 'full', int(seq) } end
end
local from = v.agent
if from ~= '-' then -- its agent's slot first, without taking the next yet
  local a = from == target and other or agent_of(from)
  if v.state == 'r' then free_slot(a, v, true) else
    drop_slot(a, 'o' .. v.id)
    call('ZREM', TIMERS, 'o' .. a.id)
    settle(a)
  end
  if a ~= other then keep_agent(a) end
end
if class ~= '' then v.class = class end
if ARGV[5] == '1' then
  local first = call('HINCRBY', DESK, 'front', -1)
  v.ticket = int(1100000000000000 + first) -- sixteen digits, long before any arrival
end
if to == 'q' then
  v.queue = target
  requeue(v, v.was == 'r' and 'transfer' or 'move', by)
  match_visit(v)
else
  begin_room(v, other, 'transferred_by_' .. by)
  match_agent(other) -- it may have been held back by this very offer
  keep_agent(other)
end
if from ~= '-' and not (to == 'a' and from == target) then -- a queue may have its agent's id
  local a = agent_of(from)
  match_agent(a)
  keep_agent(a)
end
--@include close
return state_reply(v)
