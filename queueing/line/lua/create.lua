--[[ line/create
Purpose: Creates a desk's data, or a new generation after a loss. The same generation again changes nothing.
KEYS as line/show
ARGV[1] generation     the life of the data; a larger one removes what is there
ARGV[2] status         o open, r recovering
ARGV[3] script_sha     SHA-1 of line/join
ARGV[4] log_limit      largest backlog
Reply: [answer]; answer: ok, exists
Errors: "other generation" (a later one is there), "malformed …"
Complexity: O(n) when an older life is removed (unlinked in the background)
Version: 1
]]
local generation, letter, sha, log_limit = ARGV[1] or '', ARGV[2], ARGV[3] or '', ARGV[4] or int(desk.LOG_LIMIT)
if not string.find(generation, '^%d+$') then return { 'malformed generation' } end
if letter ~= 'o' and letter ~= 'r' then return { 'malformed status' } end
local tag = KEYS[1]
local there, last = unpack(redis.call('HMGET', tag, 'generation', 'clock'))
if there == generation then return { 'exists' } end
if there and there + 0 > generation + 0 then return { 'other generation' } end

redis.call('UNLINK', tag, tag .. ':queues', tag .. ':visits', tag .. ':agents', tag .. ':waiting', tag .. ':ready',
  tag .. ':free', tag .. ':timers', tag .. ':log', tag .. ':calls')
local at = int(now_us(last))
redis.call('HSET', tag, 'generation', generation, 'conf', letter, 'script_version', VERSION, 'script_sha', sha,
  'log_limit', log_limit, 'clock', at, 'drained', 0, 'seq', 1)
redis.call('XADD', tag .. ':log', '1-0', 'at', at, 'k', 'created', 'w', letter == 'r' and 'recovering' or 'open')
tell_timers(tag)
return { 'ok' }
