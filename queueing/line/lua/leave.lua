--[[ line/leave
Purpose: A visit ends: the visitor goes, a supervisor ends it, or it left a message instead.
  A desk whose data is not to be believed yet ends nobody: what it wrote would be lost when it is rebuilt.
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
ARGV[2] outcome        left, form, removed
ARGV[3] by             who, for the history
Reply: [answer, seq, ahead, agent, queue, class, ticket, joined, word]; answer: ended, gone
  (word then: recovering, or nothing)
Errors: "no such desk", "script outdated …"
Complexity: O(log n + skill sets)
Version: 1
]]
--@include open
--@include believed
--@include records
--@include matching
--@include moves

local v = visit_of(ARGV[1])
if not v then return { 'gone', int(seq) } end
if v.state == 'e' then return state_reply(v) end
local before, agent = v.state, v.agent
local outcome = ARGV[2]
if before == 'r' and outcome == 'left' then outcome = 'served' end
end_visit(v, outcome, ARGV[3])
if agent ~= '-' and (before == 'r' or before == 'o') then
  local a = agent_of(agent)
  if before == 'r' then free_slot(a, v, true)
  else
    drop_slot(a, 'o' .. v.id)
    call('ZREM', TIMERS, 'o' .. a.id)
    settle(a)
  end
  match_agent(a)
  keep_agent(a)
end
--@include close
return state_reply(v)
