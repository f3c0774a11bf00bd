--[[ numbers/read
Purpose: Reads the states of numbers and their records in other keys, at one moment.
KEYS as numbers/event
ARGV[1+] numbers            at most 10 000
Reply: [as_of, conf, seq], then for each number [state as JSON or "", lease's end in ms or "", region's name or ""]
Errors: -1 "no such pool", "script outdated …"
Complexity: O(numbers)
Version: 1
]]
local AT_ONCE = 1000
local refusal = pool.open(KEYS[1])
if refusal then return refusal end
local reply = { pool.at, pool.conf.text, string.format('%d', pool.seq) }
for first = 1, #ARGV, AT_ONCE do
  local last = math.min(first + AT_ONCE - 1, #ARGV)
  local found = redis.call('HMGET', pool.tag .. ':numstate', unpack(ARGV, first, last))
  local scores = redis.call('ZMSCORE', pool.tag .. ':timers', unpack(ARGV, first, last))
  for place = 1, last - first + 1 do
    local text, score, count = found[place] or '', scores[place], #reply
    local region = string.match(text, ',"region":(%d%d%d%d)')
    reply[count + 1] = text
    reply[count + 2] = score and string.format('%d', score % leases.BAND) or ''
    reply[count + 3] = region and index.get('G:' .. region) or ''
  end
end
return reply
