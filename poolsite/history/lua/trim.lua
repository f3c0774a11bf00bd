--[[ history/trim
Purpose: After SQL has committed entries up to a sequence number: records it, and trims the stream, except for a tail of
  committed entries that live views read.
KEYS[1] {aggregate}       HASH    generation, seq, drained
KEYS[2] {aggregate}:log   STREAM  one entry per change, id <seq>-0
ARGV[1] generation        the generation that was committed
ARGV[2] committed         last sequence number in SQL
ARGV[3] tail              committed entries to keep
Reply: [1, drained, removed] or [0, reason]
Errors: 0 "generation" (Redis' data is of another life), 0 "behind" (SQL is ahead of Redis)
Complexity: O(entries removed)
Full server: runs
Version: 1
]]
local h = redis.call('HMGET', KEYS[1], 'generation', 'seq', 'drained')
if h[1] ~= ARGV[1] then return {'0', 'generation'} end
local committed = tonumber(ARGV[2])
if committed > (tonumber(h[2]) or 0) then return {'0', 'behind'} end
local drained = tonumber(h[3]) or 0
if committed > drained then
  drained = committed
  redis.call('HSET', KEYS[1], 'drained', int(drained))
end
local first = committed - tonumber(ARGV[3]) + 1
local removed = 0
if first > 1 then removed = redis.call('XTRIM', KEYS[2], 'MINID', int(first) .. '-0') end
return {'1', int(drained), int(removed)}
