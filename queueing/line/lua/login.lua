--[[ line/login
Purpose: An agent goes online, or on after a pause; gets visitors for each free slot. Again: the same rooms.
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
Reply: [answer, seq, state, pending, slots, word, token of the offer]; answer: ok
Errors: "no such desk", "script outdated …", "gone" (no such agent)
Complexity: O(slots × (log n + skill sets))
Version: 1
]]
--@include open
--@include records
--@include matching
--@include moves

local a = agent_of(ARGV[1])
if not a then return { 'gone', int(seq) } end
if a.state == 'x' then
  a.state, a.login, a.since, a.misses, a.slots = 'o', int(now_ms), int(now_ms), 0, '-'
  count(a)
  log('login', 'a', a.id)
  online(a, 1)
elseif a.state == 'p' then
  a.state, a.since, a.misses = 'o', int(now_ms), 0
  log('resume', 'a', a.id)
elseif a.pending ~= '-' then
  log('resume', 'a', a.id)
end
a.pending, a.word = '-', '-'
agent_here(a)
beats('a' .. a.id, a.ttl)
match_agent(a)
keep_agent(a)
tell('agent', '-', a.id)
--@include close
return agent_reply('ok', a)
