-- A start that its instance has not accepted is offered to another one when the instance is lost, blocked or ejected. A
-- start is accepted when the instance has acknowledged the frame, or sent something for the session. The session's
-- messages follow in order. The first instance is told to free the session, in case it has it.
-- Rarely needed.
local retrying = {}

retrying.FRAME = '^(%l+)\t(%C+)\t'
retrying.WITHDRAWN = 'free\t%s\t\telsewhere\tnull'
retrying.BY_KEY = '^key:(.*)$'

-- is_over: its life is over, and the caller drops its outbox. The instance is no longer in {disp}:ready.
function retrying.offer(back, is_over)
  if group.conf.retries == 0 or frames.unacked(back) == 0 then return end
  if not choosing.least({ [back.id] = true }) then return end
  local sessions_waiting, frames_of = retrying.waiting(back)
  local moved = 0
  for _, session in ipairs(sessions_waiting) do
    if retrying.move(back, session, frames_of[session], is_over) then moved = moved + 1 end
  end
  if moved == 0 then return end
  group.count('retried', moved)
  peers.log('retried', back, '', moved)
end

-- The sessions whose start the instance has not acknowledged, in order, with the frames of each from the start on.
function retrying.waiting(back)
  local acked, sent = unpack(redis.call('HMGET', group.tag .. ':seqs', 'a' .. back.key, 'o' .. back.key))
  local order, frames_of, last = {}, {}, (sent or 0) + 0
  for first = (acked or 0) + 1, last, frames.AT_ONCE do
    local fields = frames.fields(back, first, math.min(first + frames.AT_ONCE - 1, last))
    local entries = redis.call('HMGET', group.tag .. ':out', unpack(fields))
    for place = 1, #fields do
      local kind, session = string.match(entries[place] or '', retrying.FRAME)
      if kind == 'start' then
        order[#order + 1] = session
        frames_of[session] = {}
      end
      local its = session and frames_of[session]
      if its and (kind == 'start' or kind == 'message') then
        its[#its + 1] = { field = fields[place], entry = entries[place] }
      end
    end
  end
  return order, frames_of
end

-- Moves one session to another instance. If it can't, returns false and changes nothing.
function retrying.move(back, session, its, is_over)
  local route = routes.of(session)
  local is_waiting = route and route.state == 'live' and route.back == back.id and route.from_back == '0'
  if not is_waiting or routes.is_past(route) then return false end
  local front, holder = routes.ends_of(route)
  local tried, many = routes.offered_to(route)
  if not front or not holder or many >= group.conf.retries then return false end
  tried[back.id] = true
  local id = choosing.choose(string.match(route.why, retrying.BY_KEY) or session, tried)
  local following = id and peers.back(id)
  if not following or frames.unacked(following) + #its > group.conf.out_limit then return false end
  if not is_over and not frames.has_room(back) then return false end

  if group.conf.sharing == 'turn' then ready.take_turn(following) end
  routes.move(route, back, following)
  for _, frame in ipairs(its) do
    frames.append(following, frame.entry)
    if not is_over then redis.call('HSET', group.tag .. ':out', frame.field, retrying.withdrawn(session)) end
  end
  if string.find(its[1].entry, frames.CONFIRMED_START) then
    frames.await(following, 1)
    frames.await(back, -1)
  end
  if not is_over then frames.append(back, retrying.withdrawn(session)) end
  if group.conf.failure_percent > 0 then health.expect(session) end
  return true
end

-- The entry that replaces a withdrawn frame in the outbox, and also ends the outbox: the instance may already have the
-- first one.
function retrying.withdrawn(session)
  return string.format(retrying.WITHDRAWN, session)
end
