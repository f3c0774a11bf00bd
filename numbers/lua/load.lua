--[[ numbers/load
Purpose: Adds many numbers to a pool: from an import, or when a lost pool is rebuilt from SQL. Numbers that exist don't
  change. All are in SQL, so numbers that the event add brought are confirmed (numbers/confirm).
KEYS as numbers/event
ARGV[1] event              the history's word for each, e.g. add; "" = nothing is written there (a rebuild)
ARGV[2+] rows               for each number: number, up 0|1, region, quarantine's reason ("" = none); at most 1 000
Reply: [1, numbers put in, "", ""]
Errors: -1 "no such pool", "script outdated …", "malformed rows"
Complexity: O(rows × log n)
Version: 1
]]
local ROWS, MOST = 2, 4001 -- where the rows begin, and how many arguments there may be
if #ARGV < ROWS + 3 or (#ARGV - 1) % 4 ~= 0 or #ARGV > MOST then return pool.refusal('malformed rows') end
for place = ROWS, #ARGV, 4 do
  local number, up, region, reason = ARGV[place], ARGV[place + 1], ARGV[place + 2], ARGV[place + 3]
  if not spellings.is_number(number) or not is_flag(up) or not regions.is_name(region)
    or #reason > texts.REASON_BYTES then
    return pool.refusal('malformed rows', number)
  end
end
local refusal = pool.open(KEYS[1])
if refusal then return refusal end
local numbers = {}
for place = ROWS, #ARGV, 4 do numbers[#numbers + 1] = ARGV[place] end
local there = redis.call('HMGET', pool.tag .. ':numstate', unpack(numbers))

local put, seen = 0, {}
for row, number in ipairs(numbers) do
  local place = ROWS + (row - 1) * 4
  local state = there[row] and states.parse(number, there[row])
  if state and states.is_held(state, states.UNCONFIRMED) then
    membership.confirm(number)
  elseif not there[row] and not seen[number] then
    seen[number] = true
    membership.load(number, ARGV[place + 1] == '1', ARGV[place + 2], ARGV[place + 3], ARGV[1])
    put = put + 1
  end
end
if pool.conf.special then waiting.serve() end
pool.close()
tell_timers(pool.tag)
return { '1', string.format('%d', put), '', '' }
