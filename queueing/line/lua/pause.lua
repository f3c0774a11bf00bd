--[[ line/pause
Purpose: An agent pauses or logs out; with a room it takes effect when the last room ends.
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
ARGV[2] what           p pause, l log out, k log out at once (a supervisor): rooms go back to the line
ARGV[3] reason         a word
Reply: [answer, seq, state, pending, slots, word, token of the offer]; answer: ok, offline
Errors: "no such desk", "script outdated …", "gone" (no such agent), "malformed what"
Complexity: O(slots × (log n + skill sets))
Version: 1
]]
--@include open
--@include records
--@include matching
--@include moves

local a = agent_of(ARGV[1])
if not a then return { 'gone', int(seq) } end
local what = ARGV[2]
if what ~= 'p' and what ~= 'l' and what ~= 'k' then return { 'malformed what' } end
if a.state == 'x' then return agent_reply('offline', a) end
local reason = clean(ARGV[3] ~= '' and ARGV[3] or '-')
if what == 'p' and a.state == 'p' then
  a.word = reason
  log('pause', 'a', a.id, 'w', reason)
elseif what == 'k' then
  a.state, a.pending, a.word = 'x', '-', reason
  call('ZREM', TIMERS, 'a' .. a.id, 'o' .. a.id, 'w' .. a.id)
  log('logout', 'a', a.id, 'w', reason)
  give_back(a, 'agent_logged_out')
  online(a, -1)
  tell('agent', '-', a.id)
else
  a.word = reason
  if a.offered then -- not taken yet: somebody else may
    local v = visit_of(a.offered)
    drop_slot(a, 'o' .. v.id)
    call('ZREM', TIMERS, 'o' .. a.id)
    a.pending = what
    keep_agent(a)
    requeue(v, 'withdrawn', 'agent_pauses')
    match_visit(v)
  end
  a.pending = what
  log('asked', 'a', a.id, 'w', reason, 'p', what)
  settle(a)
end
keep_agent(a)
--@include close
return agent_reply('ok', a)
