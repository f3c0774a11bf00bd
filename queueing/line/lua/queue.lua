--[[ line/queue
Purpose: Writes or deletes the settings of a queue. A queue with visitors is not deleted.
KEYS as line/show
ARGV[1] queue          its id
ARGV[2] settings       as desk/settings.py writes them, or "" = remove
ARGV[3] script_sha     SHA-1 of line/join
ARGV[4] log_limit      largest backlog
Reply: [answer, seq]; answer: ok, repeat, in_use
Errors: "no such desk", "script outdated …", "malformed …"
Complexity: O(log n + agents free)
Version: 1
]]
local MOST_AGENTS = 100

-- Whoever is free looks again: the queue may have been manual.
local function match_free_agents(id)
  for _, entry in ipairs(lines.some(lines.FREE, lines.of_queue(id), MOST_AGENTS)) do
    matching.match_and_write(agents.read(lines.id_of(entry)))
  end
end

local refusal = desk.open(KEYS[1])
if refusal then return refusal end
local id, text, sha, log_limit = ARGV[1] or '', ARGV[2] or '', ARGV[3] or '', ARGV[4] or int(desk.LOG_LIMIT)
if not string.find(id, '^[1-9]%d?%d?%d?%d?%d?$') then return { 'malformed queue' } end
if text ~= '' and not string.find(text, queues.WRITTEN) then return { 'malformed settings' } end
if text == '' and lines.waiting_in(id) > 0 then return desk.answer('in_use') end

redis.call('HSET', desk.tag, 'script_sha', sha, 'script_version', VERSION, 'log_limit', log_limit)
local key = desk.tag .. ':queues'
local before = redis.call('HGET', key, id)
if text == '' then
  if not before then return desk.answer('repeat') end
  redis.call('HDEL', key, id)
  desk.log('queue', 'q', id, 'w', 'removed')
else
  if before == text then return desk.answer('repeat') end
  redis.call('HSET', key, id, text)
  desk.log('queue', 'q', id, 'w', words.one(text))
  if queues.of(id).mode ~= 'manual' and desk.is_open then match_free_agents(id) end
end
desk.close()
tell_timers(desk.tag)
return desk.answer('ok')
