--[[ numbers/load
Purpose: Puts many numbers into a pool: an import, or the rebuilding of a lost pool from SQL. Numbers that are there stay as they are.
  SQL has them, so what the event add brought is confirmed (numbers/confirm).
KEYS[1] {pool}                HASH    as numbers/event
KEYS[2] {pool}:numstate       HASH    as numbers/event
KEYS[3] {pool}:idle:up        ZSET    as numbers/event
KEYS[4] {pool}:idle:near      ZSET    as numbers/event
KEYS[5] {pool}:timers         ZSET    as numbers/event
KEYS[6] {pool}:log            STREAM  as numbers/event
KEYS[7] {pool}:registrations  ZSET    as numbers/event
ARGV[1] event              the history's word for each, e.g. add; "" = nothing is written there (a rebuild)
ARGV[2+] rows               for each number: number, up 0|1, region, quarantine's reason ("" = none); at most 1 000
Reply: [1, numbers put in, "", ""]
Errors: -1 "no such pool", "script outdated …", "malformed rows"
Complexity: O(rows × log n)
Version: 1
]]
--@include open
--@include machinery
local slow = machinery(now, at)
slow.sync(seq, conf)
if (#ARGV - 1) % 4 ~= 0 or #ARGV < 5 or #ARGV > 4001 then return { '-1', '', '', 'malformed rows' } end
local event = ARGV[1]
local numbers, rows, regions = {}, {}, {}
for i = 2, #ARGV, 4 do
  local number, up = ARGV[i], ARGV[i + 1]
  if not find(number, '^%+?%d+$') or #number > 33 or (up ~= '0' and up ~= '1') or #ARGV[i + 2] > 40
    or find(ARGV[i + 2], '[^%w_.-]') or #ARGV[i + 3] > 200 then
    return { '-1', number, '', 'malformed rows' }
  end
  numbers[#numbers + 1] = number
end
local there = call('HMGET', NUMSTATE, unpack(numbers))
local states, idle, near, strays, aside, held_count, put = {}, {}, {}, {}, 0, 0, 0
local stones = sub(conf, 4, 4) == '1'
local seen = {}
for i, number in ipairs(numbers) do
  if not there[i] and not seen[number] then
    seen[number] = true
    local up, name, why = ARGV[i * 4 - 1], ARGV[i * 4], ARGV[i * 4 + 1]
    local region = name ~= '' and (regions[name] or slow.region(name))
    if name ~= '' then regions[name] = region end
    local held = (why ~= '' and 'q' or '') .. (stones and call('HEXISTS', POOL, 't:' .. number) == 1 and 'x' or '')
    local props = slow.hold(held, slow.json(slow.clean(why)), region and ',"region":' .. region or '')
    states[#states + 1] = number
    states[#states + 1] = '{"callstate":0,"regstate":' .. up .. ',"at":' .. at .. props .. '}'
    if up == '1' then
      if held ~= '' then
        aside = aside + 1
      else
        idle[#idle + 1] = at
        idle[#idle + 1] = number
        if region and sub(conf, 2, 2) == '1' then
          near[#near + 1] = fmt('%d', region * REGION + math.ceil(now / 1000))
          near[#near + 1] = number
        end
      end
    end
    if not region then strays[#strays + 1] = number end
    if why ~= '' then held_count = held_count + 1 end
    put = put + 1
    if event ~= '' then slow.log(event, number, '-', 'i' .. (up == '1' and 'u' or 'd') .. held, '', '', '', at) end
  elseif there[i] and find(there[i], ',"held":"%a*u') then slow.confirm(number) end
end
if put > 0 then call('HSET', NUMSTATE, unpack(states)) end
if #idle > 0 then call('ZADD', IDLE, unpack(idle)) end
if #strays > 0 and sub(conf, 2, 2) == '1' then call('ZREM', NEAR, unpack(strays)) end -- left by a del
if #near > 0 then call('ZADD', NEAR, unpack(near)) end
if aside > 0 then call('HINCRBY', POOL, 'aside', aside) end
if held_count > 0 then call('HINCRBY', POOL, 'quarantined', held_count) end
if stones then slow.serve() end
seq, conf = slow.synced()
--@include close
redis.pcall('PUBLISH', 'timers:new', POOL)
return { '1', fmt('%d', put), '', '' }
