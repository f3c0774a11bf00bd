--[[ line/calls
Purpose: Reads callbacks: those due for a check, or those of given visits.
KEYS as line/show
ARGV[1] count          how many at most, 1 to 1 000
ARGV[2+] visit         their ids, up to 1 000; none = those that are due
Reply: [seq, now ms], then 8 each: visit, state, operation, agent, pool, number, callee, 1 = the agent still has the
  room
Errors: "no such desk", "script outdated …", "malformed …"
Complexity: O(log n + count)
Version: 1
]]
local refusal = desk.open(KEYS[1])
if refusal then return refusal end
local count = words.count(ARGV[1])
if not count then return { 'malformed count' } end
if #ARGV > 1 + words.MOST_ROWS then return { 'malformed visits' } end
local ids = { unpack(ARGV, 2) }
if #ids == 0 and desk.calls > 0 then
  ids = redis.call('ZRANGEBYSCORE', desk.tag .. ':calls', '-inf', desk.at_ms, 'LIMIT', 0, count)
end
local reply = { int(desk.seq), desk.at_ms }
for _, id in ipairs(ids) do
  local back = calls.read(id)
  if back then
    for _, word in ipairs({ calls.words_of(back) }) do reply[#reply + 1] = word end
  end
end
return reply
