--[[ numbers/scan
Purpose: Looks through a part of the pool and names, or mends, what contradicts the numbers' states.
KEYS[1] {pool}                HASH    as numbers/event
KEYS[2] {pool}:numstate       HASH    as numbers/event
KEYS[3] {pool}:idle:up        ZSET    as numbers/event
KEYS[4] {pool}:idle:near      ZSET    as numbers/event
KEYS[5] {pool}:timers         ZSET    as numbers/event
KEYS[6] {pool}:log            STREAM  as numbers/event
KEYS[7] {pool}:registrations  ZSET    as numbers/event
ARGV[1] what               numstate, idle, near or timers: which key to walk
ARGV[2] cursor             0 at first, then as the reply said
ARGV[3] count              roughly how many, 1 to 1 000
ARGV[4] mend               1 = put right what is found
Reply: [next cursor, seq, as_of], then triples: number, state as JSON or "", problem or ""; of numstate every
  number, of the others only those with a problem
Errors: -1 "no such pool", "script outdated …", "malformed scan"
Complexity: O(count × log n)
Version: 1
]]
--@include open
--@include machinery
local slow = machinery(now, at)
slow.sync(seq, conf)
local what, cursor, count, mend = ARGV[1], ARGV[2] or '', tonumber(ARGV[3]), ARGV[4] == '1'
if not find(cursor, '^%d+$') or not count or count < 1 or count > 1000 or count % 1 ~= 0 then
  return { '-1', '', '', 'malformed scan' }
end
local reply = { '', '', at }
local near_on = sub(conf, 2, 2) == '1'
local function tell(number, st, problem)
  local n = #reply
  reply[n + 1], reply[n + 2], reply[n + 3] = number, st or '', problem
end
-- A capped number rests to the end of the day; when the cap is raised it need not.
local function rests(props, since)
  local day, used = match(props, ',"day":(%d+),"used":(%d+)')
  local cap = sub(conf, 56, 61) + 0
  if since + 0 <= now or not day or since ~= day .. '000000' then return since end
  if cap == 0 or used + 0 < cap then return at end
  return since
end
if what == 'numstate' then
  local page = call('HSCAN', NUMSTATE, cursor, 'COUNT', count)
  reply[1] = page[1]
  for i = 1, #page[2], 2 do
    local number, st = page[2][i], page[2][i + 1]
    local b, u, since, props = slow.parts(st)
    local problem = ''
    if not b then
      problem = 'foreign layout'
      b, u, since, props = slow.foreign(number, st)
      if not b then problem = 'unreadable state'
      elseif mend then slow.write(number, b, u, since, props) end
    end
    if b then
      local held = slow.holding(props)
      local pickable = b == '0' and u == '1' and held == ''
      local score = call('ZSCORE', IDLE, number)
      local region = match(props, ',"region":(%d%d%d%d)')
      local near = near_on and call('ZSCORE', NEAR, number)
      if pickable and rests(props, since) ~= since then
        problem, since = 'rests without need', rests(props, since)
        if mend then slow.write(number, b, u, since, props) end
      end
      if pickable and not score then problem = 'not in idle'
      elseif pickable and slow.us(score + 0) ~= since then problem = problem ~= '' and problem or 'idle since another time'
      elseif not pickable and score then problem = 'in idle'
      elseif near_on and pickable and region
        and (not near or near + 0 ~= region * REGION + math.ceil(since / 1000)) then
        problem = problem ~= '' and problem or 'not in near'
      elseif near and u == '1' and not (pickable and region) then problem = 'in near' end
      if mend and problem ~= '' then
        if pickable then slow.enter(number, since, props) else slow.take_out(number) end
      end
      local lease = call('ZSCORE', TIMERS, number)
      if b == '1' and not lease then
        problem = 'no lease'
        if mend then
          call('ZADD', TIMERS, slow.us(select(2, slow.call_in(props)) * BAND + sub(at, 1, 13) + sub(conf, 6, 15)), number)
        end
      elseif b == '0' and lease and call('HEXISTS', POOL, 't:' .. number) == 0 then
        problem = 'lease without call'
        if mend then call('ZREM', TIMERS, number) end
      end
    end
    tell(number, st, problem)
  end
elseif what == 'idle' or what == 'near' or what == 'timers' then
  local key_name = what == 'idle' and IDLE or what == 'near' and NEAR or TIMERS
  local page = call('ZSCAN', key_name, cursor, 'COUNT', count)
  reply[1] = page[1]
  for i = 1, #page[2], 2 do
    local number = page[2][i]
    local prefix = sub(number, 1, 1)
    if not (what == 'timers' and (prefix == 'w' or prefix == 'o')) and call('HEXISTS', NUMSTATE, number) == 0
      and not (what == 'timers' and call('HEXISTS', POOL, 't:' .. number) == 1) then
      if what ~= 'near' then tell(number, '', 'in ' .. what .. ' without a state') end -- near: see sweep_near
      if mend then call('ZREM', key_name, number) end
    end
  end
else
  return { '-1', '', '', 'malformed scan' }
end
seq, conf = slow.synced()
--@include close
reply[2] = slow.us(seq)
return reply
