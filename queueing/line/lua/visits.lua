--[[ line/visits
Purpose: Reads visits with their states. Skips those that don't exist.
KEYS as line/show
ARGV[1+] visit          their ids, up to 1 000
Reply: [seq, now ms], then pairs: visit, state as stored
Errors: "no such desk", "script outdated …", "malformed visits"
Complexity: O(visits)
Version: 1
]]
local refusal = desk.open(KEYS[1])
if refusal then return refusal end
if #ARGV > words.MOST_ROWS then return { 'malformed visits' } end
local reply = { int(desk.seq), desk.at_ms }
if #ARGV == 0 then return reply end
local records = redis.call('HMGET', desk.tag .. ':visits', unpack(ARGV))
for place, id in ipairs(ARGV) do
  if records[place] then
    reply[#reply + 1] = id
    reply[#reply + 1] = records[place]
  end
end
return reply
