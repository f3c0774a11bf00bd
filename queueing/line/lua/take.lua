--[[ line/take
Purpose: An agent takes the next visitor, or a chosen one: the way of manual queues.
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
ARGV[2] visit          or "" = the next of its queues
ARGV[3] by             who, for the history
Reply: [answer, seq, visit]; answer: ok, repeat, nobody, no_room (no free slot, paused), away, taken
Errors: "no such desk", "script outdated …", "gone" (no such agent)
Complexity: O(queues × log n), for each of at most 20 silent visitors that are passed over
Version: 1
]]
--@include open
--@include records
--@include matching
--@include moves

local a = agent_of(ARGV[1])
if not a then return { 'gone', int(seq) } end
local id = ARGV[2] or ''
if id ~= '' then
  local v = visit_of(id)
  if v and v.state == 'r' and v.agent == a.id then return { 'repeat', int(seq), id } end
end
if a.state ~= 'o' or a.pending ~= '-' or a.used >= a.capacity then return { 'no_room', int(seq), '' } end
if status ~= 'o' then return { 'nobody', int(seq), '' } end
local function head()
  local best, first
  for queue in gmatch(a.queues, '%d+') do
    for need = 0, needs do
      local from = fmt('%s%02d', queue, need)
      local entry = call('ZRANGEBYLEX', READY, '[' .. from, '(' .. from .. '~', 'LIMIT', 0, 1)[1]
      if entry and (not best or sub(entry, 9, 25) < best) then best, first = sub(entry, 9, 25), sub(entry, 27) end
    end
  end
  return first and visit_of(first)
end
local v
if id == '' then
  v = head()
  while v and visitor_is_silent(v) and may_pass_over() do
    visitor_away(v)
    v = head()
  end
else
  v = visit_of(id)
  if not v or v.state == 'e' or v.state == 'r' then return { 'taken', int(seq), '' } end
  if v.state == 'a' then return { 'away', int(seq), '' } end
  if v.state == 'o' and v.agent ~= a.id then return { 'taken', int(seq), '' } end
end
local answer = 'nobody'
if v then
  answer = visitor_is_silent(v) and 'away' or 'ok'
  if v.state == 'o' then
    drop_slot(a, 'o' .. v.id)
    call('ZREM', TIMERS, 'o' .. a.id)
  end
  if answer == 'away' then visitor_away(v)
  else begin_room(v, a, ARGV[3] and ARGV[3] ~= '' and 'taken_by_' .. clean(ARGV[3]) or 'taken_by_the_agent') end
  match_agent(a)
  keep_agent(a)
end
--@include close
return { answer, int(seq), answer == 'ok' and v.id or '' }
