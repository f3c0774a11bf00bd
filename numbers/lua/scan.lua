--[[ numbers/scan
Purpose: Checks a part of the pool, and reports or repairs what contradicts the numbers' states.
KEYS as numbers/event
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
local MOST = 1000
local what, cursor, count, mend = ARGV[1], ARGV[2] or '', whole(ARGV[3], 1, MOST), ARGV[4] == '1'
local set = audit.SETS[what]
if not string.find(cursor, '^%d+$') or not count or (what ~= 'numstate' and not set) then
  return pool.refusal('malformed scan')
end
local refusal = pool.open(KEYS[1])
if refusal then return refusal end
local reply = { '', '', pool.at }

local function tell(number, text, problem)
  local place = #reply
  reply[place + 1], reply[place + 2], reply[place + 3] = number, text, problem
end

local page
if what == 'numstate' then
  page = redis.call('HSCAN', pool.tag .. ':numstate', cursor, 'COUNT', count)
  for place = 1, #page[2], 2 do
    local number, text = page[2][place], page[2][place + 1]
    tell(number, text, audit.number(number, text, mend))
  end
else
  page = redis.call('ZSCAN', pool.tag .. set, cursor, 'COUNT', count)
  for place = 1, #page[2], 2 do
    local number = page[2][place]
    if audit.is_stray(what, number) then
      if what ~= 'near' then tell(number, '', 'in ' .. what .. ' without a state') end -- near: see upkeep.tidy_near
      if mend then redis.call('ZREM', pool.tag .. set, number) end
    end
  end
end
pool.close()
reply[1], reply[2] = page[1], string.format('%d', pool.seq)
return reply
