--[[ dispatch/destroy
Purpose: Deletes a group's data and closes its peers' sockets.
KEYS as dispatch/start
ARGV[1] generation     of the data that is to go; newer data stays
Reply: [1, ""] or [1, "repeat"]: there is none
Errors: [-1, reason]: "malformed generation", "other generation <n>"
Complexity: O(peers); O(n) in the background
Full server: runs
Version: 1
]]
local tag, generation = KEYS[1], ARGV[1] or ''
if not string.find(generation, '^%d+$') then return checks.refusal('malformed generation') end
local there = redis.call('HGET', tag, 'generation')
if there and there + 0 > generation + 0 then return checks.refusal('other generation ' .. there) end

local records = redis.call('HGETALL', tag .. ':peers')
for place = 1, #records, 2 do
  links.close(tag, peers.parse(records[place], records[place + 1]), '4404', 'destroyed')
end
redis.call('UNLINK', unpack(group.keys(tag)))
redis.pcall('PUBLISH', tag .. ':wake', '')
return { '1', there and '' or 'repeat' }
