--[[ line/check
Purpose: Holds a part of the desk's records against the laws: one place each, no agent over capacity, nobody idle while somebody waits.
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
ARGV[1] what           visits, agents, waiting, ready, free or idle
ARGV[2] cursor         0 at first, then as the reply said
ARGV[3] count          roughly how many, 1 to 1 000
Reply: [cursor, seq], then pairs: thing, what is wrong
Errors: "no such desk", "script outdated …", "malformed …"
Complexity: O(count × (log n + skill sets))
Version: 1
]]
--@include open
--@include records
--@include matching
--@include moves

local what, cursor, count_ = ARGV[1], ARGV[2] or '', tonumber(ARGV[3])
if not find(cursor, '^%d+$') or not count_ or count_ < 1 or count_ > 1000 or count_ % 1 ~= 0 then return { 'malformed count' } end
local reply = { '0', int(seq) }
local function wrong(thing, text) reply[#reply + 1], reply[#reply + 2] = thing, text end
if what == 'visits' then
  local page = call('HSCAN', VISITS, cursor, 'COUNT', count_)
  reply[1] = page[1]
  for i = 1, #page[2], 2 do
    local v = read_visit(page[2][i], page[2][i + 1])
    local entry = fmt('%06d%s%s:%s', v.queue, v.class, v.ticket, v.id)
    local in_line = call('ZSCORE', WAITING, entry)
    local can = call('ZSCORE', READY, fmt('%06d%02d%s%s:%s', v.queue, v.need, v.class, v.ticket, v.id))
    if waits(v.state) and not in_line then wrong(v.id, 'waits, not in line') end
    if not waits(v.state) and in_line then wrong(v.id, 'in two places') end
    if v.state == 'w' and not can then wrong(v.id, 'waits, not ready') end
    if v.state ~= 'w' and can then wrong(v.id, 'ready, not waiting') end
    if v.state == 'r' or v.state == 'o' then
      local a = agent_of(v.agent)
      if not a or not find(',' .. a.slots .. ',', ',' .. v.state .. v.id .. ',', 1, true) then wrong(v.id, 'its agent knows nothing of it') end
    end
    if not call('ZSCORE', TIMERS, 'v' .. v.id) then wrong(v.id, 'no timer') end
  end
elseif what == 'agents' then
  local page = call('HSCAN', AGENTS, cursor, 'COUNT', count_)
  reply[1] = page[1]
  for i = 1, #page[2], 2 do
    local a = agent_of(page[2][i])
    if a.rooms > a.capacity then wrong(a.id, 'more rooms than capacity') end
    if a.state == 'x' and a.slots ~= '-' then wrong(a.id, 'offline with rooms') end
    if a.state ~= 'x' and not call('ZSCORE', TIMERS, 'a' .. a.id) then wrong(a.id, 'no timer') end
    if a.pending == 'd' then wrong(a.id, 'held back') end
    for slot in slots_of(a) do
      local kind = sub(slot, 1, 1)
      local v = kind ~= 'w' and visit_of(sub(slot, 2))
      if kind ~= 'w' and (not v or v.state ~= kind or v.agent ~= a.id) then wrong(a.id, 'room without its visitor') end
    end
    for q in gmatch(a.queues, '%d+') do
      local entry = call('ZSCORE', FREE, q .. a.stood .. ':' .. a.id)
      if a.stood ~= '' and not entry then wrong(a.id, 'free, not in the list') end
    end
  end
elseif what == 'waiting' or what == 'ready' or what == 'free' then
  local key = what == 'waiting' and WAITING or what == 'ready' and READY or FREE
  local page = call('ZSCAN', key, cursor, 'COUNT', count_)
  reply[1] = page[1]
  for i = 1, #page[2], 2 do
    local id = match(page[2][i], ':(.+)$')
    if what == 'free' then
      local a = agent_of(id)
      if not a or a.stood == '' or sub(page[2][i], 7, 23) ~= a.stood then wrong(id, 'listed as free') end
    else
      local v = visit_of(id)
      if not v or (what == 'waiting' and not waits(v.state)) or (what == 'ready' and v.state ~= 'w') then wrong(id, 'listed as ' .. what) end
    end
  end
elseif what == 'idle' then
  -- Law 3: the heads of all free agents (a part: `cursor` entries are passed over).
  local page = call('ZRANGEBYLEX', FREE, '-', '+', 'LIMIT', cursor, count_)
  reply[1] = #page == count_ and int(cursor + count_) or '0'
  for i = 1, status == 'o' and #page or 0 do
    local a = agent_of(sub(page[i], 25))
    local visit = best_visit(a)
    -- Who is silent does not wait, and cannot serve; a sweep or the next match marks it.
    if visit and not agent_is_silent(a) and not visitor_is_silent(visit_of(visit)) then wrong(visit, 'waits while agent ' .. a.id .. ' is free') end
  end
else
  return { 'malformed what' }
end
return reply
