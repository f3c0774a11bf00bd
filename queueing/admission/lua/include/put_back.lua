-- The clock was put back: what was written while it was ahead lies in the future. A permit lasts no longer from now than
-- the longest that was ever set, who waits was heard now, nothing has started. `behind` until all of it is corrected.
local longest = math.max(length, tonumber(call('HGET', GATE, 'longest')) or 0)
local latest = fmt('%d', now + longest)
local ahead = call('ZRANGEBYSCORE', PERMITS, '(' .. latest, '+inf', 'LIMIT', 0, limit)
for _, who in ipairs(ahead) do
  local held = call('HGET', GATE, '=' .. who)
  if held then
    local token, task = sub(held, 1, 16), task_of(held)
    local t = task and read_task(task)
    call('ZADD', PERMITS, latest, who)
    call('HSET', GATE, '=' .. who, token .. latest .. fmt('%d', math.min(now, sub(held, 33, 48) + 0)) .. sub(held, 49))
    log('renewed', who, token, latest, task, t and t.attempt, t and t.batch, 'clock')
  else
    call('ZREM', PERMITS, who)
  end
end
local heard = call('ZRANGEBYSCORE', SEEN, '(' .. at, '+inf', 'LIMIT', 0, limit)
for _, who in ipairs(heard) do call('ZADD', SEEN, at, who) end
call('UNLINK', STARTS) -- at most one second's starts are let in twice
local times = call('HMGET', GATE, 'open_at', 'open_after', 'win_at')
if times[1] then
  call('HSET', GATE, 'open_at', fmt('%d', math.min(times[1] + 0, now + (times[2] or longest))))
end
if (tonumber(times[3]) or 0) > now then call('HSET', GATE, 'win_at', at) end
if #ahead < limit and #heard < limit then
  behind, new_doubt = false, lag > 0 and sub(new_doubt, 1, 32) or ''
end
