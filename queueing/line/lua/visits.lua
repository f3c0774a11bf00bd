--[[ line/visits
Purpose: Visits with their states, those that are there.
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
ARGV[1+] visit          their ids, up to 1 000
Reply: [seq, now ms], then pairs: visit, state as stored
Errors: "no such desk", "script outdated …", "malformed visits"
Complexity: O(visits)
Version: 1
]]
--@include open
if #ARGV > 1000 then return { 'malformed visits' } end
local reply = { int(seq), int(now_ms) }
if #ARGV == 0 then return reply end
local found = call('HMGET', VISITS, unpack(ARGV))
for i = 1, #ARGV do
  if found[i] then reply[#reply + 1], reply[#reply + 2] = ARGV[i], found[i] end
end
return reply
