-- Calls back: one for a visit at most, in the desk's hash as `call:<visit>`, by the next look in CALLS.
-- State i asked for (the number may or may not be claimed), c has a number, e ends.
local function call_of(id)
  local text = call('HGET', DESK, 'call:' .. id)
  if not text then return nil end
  local st, op, agent, pool, number, callee = match(text, '^(%a) (%S+) (%d+) (%S+) (%S+) (%S+)$')
  return { visit = id, state = st, operation = op, agent = agent, pool = pool, number = number, callee = callee }
end
local function keep_call(c, after_ms)
  call('HSET', DESK, 'call:' .. c.visit, fmt('%s %s %s %s %s %s', c.state, c.operation, c.agent, c.pool, c.number, c.callee))
  call('ZADD', CALLS, int(now_ms + after_ms), c.visit)
end
local function call_reply(answer, c)
  local v = visit_of(c.visit)
  local in_room = v and v.state == 'r' and v.agent == c.agent
  return { answer, int(seq), c.visit, c.state, c.operation, c.agent, c.pool, c.number, c.callee, in_room and '1' or '0' }
end
