--[[ line/why
Purpose: Why nobody serves a visitor now: a part of the agents of its queue, each with its reason.
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
ARGV[2] cursor         0 at first, then as the reply said
ARGV[3] count          roughly how many, 1 to 1 000
Reply: [cursor, seq, state of the visit, mode of its queue, status of the desk], then pairs: agent, reason (offline, away, paused, leaving, offered, at_capacity, wrap_up, skill, free)
Errors: "no such desk", "script outdated …", "gone", "malformed count"
Complexity: O(count)
Version: 1
]]
--@include open
--@include records
--@include matching
local v = visit_of(ARGV[1])
if not v then return { 'gone', int(seq) } end
local count_ = tonumber(ARGV[3])
if not find(ARGV[2] or '', '^%d+$') or not count_ or count_ < 1 or count_ > 1000 or count_ % 1 ~= 0 then return { 'malformed count' } end
local q = queue_of(v.queue)
local page = call('HSCAN', AGENTS, ARGV[2], 'COUNT', count_)
local reply = { page[1], int(seq), v.state, q and q.mode or '', status }
local mine = fmt('%06d', v.queue)
for i = 1, #page[2], 2 do
  local a = agent_of(page[2][i])
  if find(a.queues, mine, 1, true) then
    local reason
    if a.state == 'x' then reason = 'offline'
    elseif a.away then reason = 'away'
    elseif a.state == 'p' then reason = 'paused'
    elseif a.pending ~= '-' then reason = 'leaving'
    elseif not could(v.need + 0, a.profile + 0, now - v.joined, q.relax) then reason = 'skill'
    elseif a.offered then reason = 'offered'
    elseif a.used >= a.capacity then reason = find(',' .. a.slots, ',w', 1, true) and 'wrap_up' or 'at_capacity'
    else reason = agent_is_silent(a) and 'away' or 'free' end
    reply[#reply + 1], reply[#reply + 2] = a.id, reason
  end
end
return reply
