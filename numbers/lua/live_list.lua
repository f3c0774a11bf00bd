--[[ numbers/live_list
Purpose: A part of a switch's list of its live calls: renews what it names, adopts in recovery, and at
  its end judges what it does not name. Two lists in a row heal; calls younger than the list are not judged.
KEYS[1] {pool}                HASH    as numbers/event
KEYS[2] {pool}:numstate       HASH    as numbers/event
KEYS[3] {pool}:idle:up        ZSET    as numbers/event
KEYS[4] {pool}:idle:near      ZSET    as numbers/event
KEYS[5] {pool}:timers         ZSET    as numbers/event
KEYS[6] {pool}:log            STREAM  as numbers/event
KEYS[7] {pool}:registrations  ZSET    as numbers/event
ARGV[1] switch             its name
ARGV[2] incarnation        its boot id
ARGV[3] as_of              µs: what the switch had been told before it took the list
ARGV[4] first              1 = a list begins
ARGV[5] last               1 = with this part it ends
ARGV[6] offset             0; or as the reply of the part before said
ARGV[7+] calls             call id, number ("" = not known), call id, number, …; at most 1 000 calls
Reply: [1, renewed, next offset or "", ""], then triples: kind, call id, number; kind is adopted
  lease_without_call call_without_lease released hang_up conflict. A next offset: send it, last = 1 and no calls
Errors: -1 "no such pool", "script outdated …", "stale incarnation", "stale list", "too many switches", "malformed list"
Complexity: O(calls × log n)
Version: 1
]]
--@include open
--@include machinery
local slow = machinery(now, at)
slow.sync(seq, conf)
local switch, incarnation, as_of, first, last, offset = ARGV[1] or '', ARGV[2] or '', ARGV[3] or '', ARGV[4], ARGV[5], ARGV[6] or ''
local function malformed(what) return { '-1', '', '', 'malformed ' .. what } end
if switch == '' or #switch > 64 or #incarnation > 64 or find(switch .. incarnation, '[^ -~]') then return malformed('switch') end
if #as_of ~= 16 or find(as_of, '%D') or as_of - now > 1000000 then return malformed('as_of') end
if (first ~= '0' and first ~= '1') or (last ~= '0' and last ~= '1') or offset == '' or #offset > 9 or find(offset, '%D')
  or #ARGV % 2 == 1 or #ARGV > 2006 then
  return malformed('list')
end
for i = 7, #ARGV, 2 do
  local id, number = ARGV[i], ARGV[i + 1]
  if id == '' or #id > 128 or find(id, '[^ -~]') then return malformed('call id') end
  if number ~= '' and (not find(number, '^%+?%d+$') or #number > 33) then return malformed('number') end
end
--@include rights

local who = call('HGET', POOL, 'w:' .. switch)
local list = call('HGET', POOL, 'l:' .. switch)
-- A list from the future is of the time before the clock was put back: it refuses no newer one.
if list and first == '1' and sub(list, 14, 29) - now > 1000000 then list = nil end
local same = who and sub(who, 15) == incarnation
if first == '1' and same and list and sub(list, 14, 29) > as_of
  or first == '0' and not (same and list and sub(list, 14, 30) == as_of .. 'o') then
  return { '-1', '', '', 'stale list' }
end
local reply = { '1', '0', '', '' }
if same then
  who = sub(who, 1, 4) .. sub(at, 1, 10) .. sub(who, 15)
  call('HSET', POOL, 'w:' .. switch, who)
else
  local known, refusal = slow.meet(switch, incarnation, who)
  if not known then return { '-1', '', '', refusal } end
  who, list = call('HGET', POOL, 'w:' .. switch), call('HGET', POOL, 'l:' .. switch)
end
local session = sub(who, 1, 4)
local lease_ms = sub(conf, 6, 15) + 0

-- The list's record: its mark (ms) 13, as_of 16, open or closed 1, then its count. Whom it names gets
-- the deadline mark + lease, so at the end the rest shows by its scores.
local mark, count
if first == '1' then
  mark, count = sub(at, 1, 13), list and sub(list, 31) + 1 or 1
  call('HSET', POOL, 'l:' .. switch, mark .. as_of .. 'o' .. slow.us(count))
else
  mark, count = sub(list, 1, 13), sub(list, 31) + 0
end
local old_enough = as_of - slow.LIST_MARGIN

local function add(kind, id, number)
  local n = #reply
  reply[n + 1], reply[n + 2], reply[n + 3] = kind, id, number
end

local function adopt(id, number, u, since, props)
  slow.sync(seq, conf)
  local b, taken, direction, why, picked, callee, agent = '0', false, 'out', 'adopted', '', '', ''
  local id_json, switch_json, incarnation_json = slow.json(id), slow.json(switch), slow.json(incarnation)
  local agent_json, callee_json = '', ''
  local texts = id .. '\t' .. switch .. '\t' .. incarnation .. '\t\t\tout'
  local kept_1, value_1, kept_2, value_2, seq_text
  --@include begin_call
  call('HSET', POOL, kept_1, value_1)
  if u == '0' then call('HINCRBY', POOL, 'busy_down', 1) end
  slow.sync(seq, conf)
end

local renewed, recovering = 0, sub(conf, 1, 1) == 'r'
for i = 7, #ARGV, 2 do
  local id, number = ARGV[i], ARGV[i + 1]
  local found = call('HMGET', POOL, 'c:' .. id, 'a:' .. number)
  local known, alias, mine = found[1] or '', found[2], ''
  --@include stored
  local kind = sub(known, 1, 1)
  if kind == 'L' then
    local its = sub(known, 2)
    local b, u, since, props = slow.read(its)
    if b ~= '1' then props = call('HGET', POOL, 't:' .. its) or '' end
    if find(props, ',"unpaid":1', 1, true) then
      add('hang_up', id, its)
    else
      local band = select(2, slow.call_in(props)) or session
      call('ZADD', TIMERS, slow.us(band * BAND + mark + lease_ms), its)
      renewed = renewed + 1
      if b == '1' and find(props, ',"suspect":1', 1, true) then
        slow.write(its, b, u, since, (string.gsub(props, ',"suspect":1', '')))
        local code = 'b' .. (u == '1' and 'u' or 'd') .. slow.holding(props)
        slow.log('renew', its, code .. 's', code, 'in live list', '', since, '', ',"call":"' .. slow.json(id) .. '"')
      end
    end
    if number ~= '' and number ~= its then add('conflict', id, number) end
  elseif kind ~= 'W' and kind ~= 'O' and not (kind == 'E' and sub(known, 2, 17) + 0 > old_enough) then
    local b, u, since, props
    if number ~= '' then b, u, since, props = slow.read(number) end
    local before = call('HGET', POOL, 'x:' .. id)
    local twice = before and now - sub(before, 1, 16) < 600000000 and sub(before, 17) == slow.us(count - 1) .. ' ' .. switch
    local held = b and slow.holding(props) or ''
    if b == '0' and (recovering or twice) and not find(held, '[xu]') then
      if held == 'o' then
        props = slow.unoffer(number, since, props, true)
      end
      seq, conf = slow.synced()
      adopt(id, number, u, since, props)
      call('HDEL', POOL, 'x:' .. id)
      add('adopted', id, number)
    else
      call('HSET', POOL, 'x:' .. id, at .. slow.us(count) .. ' ' .. switch)
      add(b == '1' and 'conflict' or 'call_without_lease', id, number)
    end
  end
end
reply[2] = slow.us(renewed)

if last == '1' then
  local low, high, skip, limit = session * BAND, session * BAND + mark + lease_ms, offset + 0, 1000
  local function judge(from, to)
    local kept, numbers = 0, call('ZRANGEBYSCORE', TIMERS, from, to, 'LIMIT', skip, limit)
    for _, number in ipairs(numbers) do
      local b, u, since, props = slow.read(number)
      local ghost = b == '1' and match(props, ',"ghost":(%d+)')
      if b == '1' and since - now > 1000000 then -- begun before the clock was put back: young once more
        since = at
        slow.write(number, b, u, since, props)
      end
      if b ~= '1' or since + 0 > old_enough or find(props, ',"unpaid":1', 1, true) then
        kept = kept + 1
      else
        local id = select(4, slow.call_in(props))
        if ghost and ghost + 0 == count - 1 then
          slow.end_call(number, u, since, props, 'released', 'not in live list', sub(conf, 36, 45) + 0)
          add('released', id, number)
        else
          slow.write(number, b, u, since, (string.gsub(props, ',"ghost":%d+', '')) .. ',"ghost":' .. slow.us(count))
          add('lease_without_call', id, number)
          kept = kept + 1
        end
      end
    end
    return kept, #numbers
  end
  local kept, looked = judge(slow.us(low), '(' .. slow.us(high))
  if looked >= limit then
    reply[3] = slow.us(skip + kept)
  else
    skip = 0 -- leases of a longer setting lie behind those of calls that began since
    judge('(' .. slow.us(session * BAND + math.floor(now / 1000) + lease_ms + 1000), '(' .. slow.us((session + 1) * BAND))
    call('HSET', POOL, 'l:' .. switch, mark .. as_of .. 'c' .. slow.us(count))
    slow.reported(switch)
  end
end
seq, conf = slow.synced()
if sub(conf, 4, 4) == '1' then
  slow.serve()
end
seq, conf = slow.synced()
--@include close
return reply
