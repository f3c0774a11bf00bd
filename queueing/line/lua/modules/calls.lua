-- Calls back: one for a visit at most, in the desk's hash as "call:<visit>", by the next look in {desk}:calls.
local calls = {}

calls.LETTER = { asked = 'i', running = 'c', ending = 'e' }
calls.STATE = { i = 'asked', c = 'running', e = 'ending' }
calls.RECORD = '^(%a) (%S+) (%d+) (%S+) (%S+) (%S+)$'
calls.NUMBER = '^%+?%d+$'
calls.LONGEST_LOOK_MS = 600000 -- of a call that somebody must confirm
calls.LONGEST_TIME_MS = 86400000 -- of one that runs

-- The call back of a visit, or nil. asked: its number may be claimed or not; then it has its number; then it ends.
function calls.read(visit)
  local record = desk.field('call:' .. visit)
  if not record then return nil end
  local letter, operation, agent, pool, number, callee = string.match(record, calls.RECORD)
  return { visit = visit, state = calls.STATE[letter], operation = operation, agent = agent, pool = pool,
    number = number, callee = callee }
end

-- Writes it; the sweep looks at it so many ms from now.
function calls.write(back, after_ms)
  desk.set('call:' .. back.visit, calls.LETTER[back.state] .. ' ' .. back.operation .. ' ' .. back.agent .. ' '
    .. back.pool .. ' ' .. back.number .. ' ' .. back.callee)
  redis.call('ZADD', desk.tag .. ':calls', int(desk.now_ms + after_ms), back.visit)
end

-- A room ends or changes hands: the call back that goes with it is looked at now. Before the visit is written.
function calls.look_now(visit)
  if desk.calls > 0 and visit.state_before == 'room' then
    redis.call('ZADD', desk.tag .. ':calls', 'XX', desk.at_ms, visit.id)
  end
end

-- What call_ask, call_keep and call_end answer.
function calls.reply(word, back)
  return { word, int(desk.seq), calls.words_of(back) }
end

-- A call back in eight words: visit, state, operation, agent, pool, number, callee, 1 = the agent still has the room.
function calls.words_of(back)
  local visit = visits.read(back.visit)
  local in_room = visit and visit.state == 'room' and visit.agent == back.agent
  return back.visit, calls.LETTER[back.state], back.operation, back.agent, back.pool, back.number, back.callee,
    in_room and '1' or '0'
end

-- The ms of an argument, from 1 to `most`; nil = malformed.
function calls.look_after(text, most)
  local ms = tonumber(text or '')
  if ms and ms >= 1 and ms <= most then return ms end
end
