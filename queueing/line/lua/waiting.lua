--[[ line/waiting
Purpose: Reads a part of a queue's line, in order.
KEYS as line/show
ARGV[1] queue          its id
ARGV[2] after          the last entry of the part before, or ""
ARGV[3] count          1 to 1 000
Reply: [seq, now ms], then triples: entry, visit, state as stored
Errors: "no such desk", "script outdated …", "malformed …"
Complexity: O(log n + count)
Version: 1
]]
local refusal = desk.open(KEYS[1])
if refusal then return refusal end
local queue, after, count = ARGV[1] or '', ARGV[2] or '', words.count(ARGV[3])
if not string.find(queue, '^%d+$') then return { 'malformed queue' } end
if not count then return { 'malformed count' } end
local start = lines.of_queue(queue)
local low = after ~= '' and '(' .. after or '[' .. start
local entries = redis.call('ZRANGEBYLEX', desk.tag .. ':waiting', low, '(' .. start .. '~', 'LIMIT', 0, count)
local reply = { int(desk.seq), desk.at_ms }
for _, entry in ipairs(entries) do
  local id = lines.id_of(entry)
  reply[#reply + 1] = entry
  reply[#reply + 1] = id
  reply[#reply + 1] = redis.call('HGET', desk.tag .. ':visits', id) or ''
end
return reply
