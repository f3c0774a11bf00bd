-- Callbacks: a visit has one or none, in the desk's hash as "call:<visit>", and in {desk}:calls by the time of the next
-- check.
local calls = {}

calls.LETTER = { asked = 'i', running = 'c', ending = 'e' }
calls.STATE = { i = 'asked', c = 'running', e = 'ending' }
calls.RECORD = '^(%a) (%S+) (%d+) (%S+) (%S+) (%S+)$'
calls.NUMBER = '^%+?%d+$'
calls.LONGEST_LOOK_MS = 600000 -- of a call that a person must confirm
calls.LONGEST_TIME_MS = 86400000 -- of a running call

-- The callback of a visit, or nil. asked: whether its number is claimed is not known yet. Then it has its number, then
-- it ends.
function calls.read(visit)
  local record = desk.field('call:' .. visit)
  if not record then return nil end
  local letter, operation, agent, pool, number, callee = string.match(record, calls.RECORD)
  return { visit = visit, state = calls.STATE[letter], operation = operation, agent = agent, pool = pool,
    number = number, callee = callee }
end

-- Stores the callback. The sweep checks it this many ms from now.
function calls.write(back, after_ms)
  desk.set('call:' .. back.visit, calls.LETTER[back.state] .. ' ' .. back.operation .. ' ' .. back.agent .. ' '
    .. back.pool .. ' ' .. back.number .. ' ' .. back.callee)
  redis.call('ZADD', desk.tag .. ':calls', int(desk.now_ms + after_ms), back.visit)
end

-- When a room ends or changes hands, its callback is checked now. Call this before the visit is written.
function calls.look_now(visit)
  if desk.calls > 0 and visit.state_before == 'room' then
    redis.call('ZADD', desk.tag .. ':calls', 'XX', desk.at_ms, visit.id)
  end
end

-- The reply of call_ask, call_keep and call_end.
function calls.reply(word, back)
  return { word, desk.seq_text, calls.words_of(back) }
end

-- A callback as eight texts: visit, state, operation, agent, pool, number, callee, and 1 if the agent still has the
-- room.
function calls.words_of(back)
  local visit = visits.read(back.visit)
  local in_room = visit and visit.state == 'room' and visit.agent == back.agent
  return back.visit, calls.LETTER[back.state], back.operation, back.agent, back.pool, back.number, back.callee,
    in_room and '1' or '0'
end

-- The ms in an argument, from 1 to `most`, or nil if it is malformed.
function calls.look_after(text, most)
  local ms = tonumber(text or '')
  if ms and ms >= 1 and ms <= most then return ms end
end
