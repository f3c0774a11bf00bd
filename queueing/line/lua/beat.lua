--[[ line/beat
Purpose: A visitor is there: waiting or in a room; one who was away comes back to the same place.
KEYS[1] {line.desk}           HASH    settings, generation, seq, skills, counters
KEYS[2] {line.desk}:queues    HASH    queue → settings
KEYS[3] {line.desk}:visits    HASH    visit → state
KEYS[4] {line.desk}:agents    HASH    agent → state
KEYS[5] {line.desk}:waiting   ZSET    everybody in a queue, in order
KEYS[6] {line.desk}:ready     ZSET    those of them who can be matched
KEYS[7] {line.desk}:free      ZSET    agents who can take a visitor, per queue
KEYS[8] {line.desk}:timers    ZSET    what time brings, by ms
KEYS[9] {line.desk}:log       STREAM  one entry per change
ARGV[1] visit          its id
Reply: [answer, seq, ahead, agent, queue, class, ticket, joined, word]; answer: waiting, away, offered, room, ended, gone
Errors: "no such desk", "script outdated …"
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
if v.state == 'a' then
  v.state, v.since = 'w', int(now_ms)
  keep_visit(v)
  log('back', 'v', v.id, 'q', v.queue, 'c', v.class, 't', v.ticket)
  match_visit(v)
end
beat_visit(v, queue_of(v.queue))
--@include close
return state_reply(v)
