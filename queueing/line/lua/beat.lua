--[[ line/beat
Purpose: A visitor is there: waiting or in a room; one who was away comes back to the same place.
  A desk whose data is not to be believed yet (promoted, or its visits not loaded) knows nobody: SQL answers.
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
Reply: [answer, seq, ahead, agent, queue, class, ticket, joined, word]; answer: waiting, away, offered, room, ended, gone
  (word then: recovering, or nothing)
Errors: "no such desk", "script outdated …"
Complexity: O(log n + skill sets)
Version: 1
]]
--@include open
--@include believed
--@include beat_plain
--@include records
--@include matching
--@include moves

local v = visit_of(ARGV[1])
if not v then return { 'gone', int(seq) } end
if v.state == 'e' then return state_reply(v) end
here_again(v)
--@include close
return state_reply(v)
