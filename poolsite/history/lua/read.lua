--[[ history/read
Purpose: Reads an aggregate's counters and the next entries of its stream, consistently.
KEYS[1] {aggregate}       HASH    generation, seq, drained, dropped, log_limit
KEYS[2] {aggregate}:log   STREAM  one entry per change, id <seq>-0
ARGV[1] from              first sequence number wanted
ARGV[2] count             entries at most
Reply: [generation, seq, drained, dropped, log_limit, entries], then for each entry
  [seq, strings, field, value, ...]; generation '' = there is no such aggregate
Errors: none
Complexity: O(entries read)
Version: 1
]]
local h = redis.call('HMGET', KEYS[1], 'generation', 'seq', 'drained', 'dropped', 'log_limit')
local entries = redis.call('XRANGE', KEYS[2], ARGV[1] .. '-0', '+', 'COUNT', ARGV[2])
local reply = {
  h[1] or '', h[2] or '0', h[3] or '0', h[4] or '0', h[5] or '0', int(#entries)
}
for _, entry in ipairs(entries) do
  reply[#reply + 1] = string.match(entry[1], '^%d+')
  reply[#reply + 1] = int(#entry[2])
  for _, word in ipairs(entry[2]) do reply[#reply + 1] = word end
end
return reply
