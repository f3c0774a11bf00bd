--[[ line/open_after
Purpose: A recovering desk has its visits again. It opens automatically after a while, in which visitors and agents send
  heartbeats again.
KEYS as line/show
ARGV[1] generation     the life that has its visits back
ARGV[2] after_ms       from now
Reply: [answer, seq]; answer: ok, repeat (it is open, or the time is set)
Errors: "no such desk", "script outdated …", "other generation" (of a worker that was held up), "malformed after"
Complexity: O(1)
Version: 1
]]
local refusal = desk.open(KEYS[1])
if refusal then return refusal end
local LONGEST_MS = 86400000
local after_ms = tonumber(ARGV[2] or '')
if not after_ms or after_ms < 0 or after_ms > LONGEST_MS then return { 'malformed after' } end
if desk.field('generation') ~= ARGV[1] then return { 'other generation' } end
if desk.is_open or desk.field('opens_at') then return desk.answer('repeat') end
redis.call('HSET', desk.tag, 'opens_at', int(desk.now_ms + after_ms), 'opens_in', int(after_ms))
tell_timers(desk.tag)
return desk.answer('ok')
