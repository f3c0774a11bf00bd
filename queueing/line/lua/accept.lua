--[[ line/accept
Purpose: An agent accepts or declines the visitor that it was offered.
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
ARGV[1] agent          its id
ARGV[2] visit          the one offered
ARGV[3] token          of the offer
ARGV[4] yes            1 accept, 0 decline
Reply: [answer, seq]; answer: ok, repeat, late (the offer is over by Redis' time, or its visitor is silent, and away from now on)
Errors: "no such desk", "script outdated …", "gone" (no such agent)
Complexity: O(log n + skill sets)
Version: 1
]]
--@include open
--@include records
--@include matching
--@include moves

local a = agent_of(ARGV[1])
if not a then return { 'gone', int(seq) } end
local v = visit_of(ARGV[2] or '')
if not v or v.agent ~= a.id then return { 'late', int(seq) } end
if v.state == 'r' and ARGV[4] == '1' then return { 'repeat', int(seq) } end
if v.state ~= 'o' or v.token ~= ARGV[3] then return { 'late', int(seq) } end
local q = queue_of(v.queue)
if is_over('o' .. a.id, q and q.offer or 0) then return { 'late', int(seq) } end -- the next sweep counts the miss
local silent = visitor_is_silent(v)
drop_slot(a, 'o' .. v.id)
call('ZREM', TIMERS, 'o' .. a.id)
if silent then
  visitor_away(v)
  settle(a)
  match_agent(a)
  keep_agent(a)
elseif ARGV[4] == '1' then
  begin_room(v, a, v.word)
  match_agent(a)
  keep_agent(a)
else
  a.since = int(now_ms)
  settle(a)
  local stood = a.pending
  if stood == '-' then a.pending = 'd' end -- not the same visitor again at once
  keep_agent(a)
  requeue(v, 'declined', 'declined')
  match_visit(v)
  if stood == '-' then
    a = agent_of(a.id)
    a.pending = '-'
    match_agent(a)
    keep_agent(a)
  end
end
--@include close
return { silent and 'late' or 'ok', int(seq) }
