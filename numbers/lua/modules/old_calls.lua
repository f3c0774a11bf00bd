-- Calls of deleted numbers: the number's last state stays in the index under t:<number> until the call ends.
-- Rarely needed.
local old_calls = {}

-- The state of the deleted number, or nil if it has no running call.
function old_calls.read(number)
  local text = index.get('t:' .. number)
  return text and states.parse(number, text) or nil
end

function old_calls.exists(number)
  return index.get('t:' .. number) ~= false
end

-- Stores the state (`text`) of a number that is deleted during a call.
function old_calls.keep(number, text)
  index.set('t:' .. number, text)
  pool.count('old', 1)
  pool.mark_special()
end

-- Ends the call if it has this ID ('': the call has none; nil: any call). Returns its ID, or nil. If the number was
-- added again, it can be picked now. `told`: JSON fields for the history.
function old_calls.finish(number, id, verb, reason, rest_ms, told)
  local old = old_calls.read(number)
  if not old then return nil end
  local its_id = calls.id(old)
  if id and id ~= its_id then return nil end
  index.remove('t:' .. number)
  leases.remove(number)
  if its_id ~= '' then ids.finish(its_id, number) end
  pool.count('old', -1)
  pool.mark_special()
  local before, after, ready = '-x', '-', pool.at
  local state = states.read(number)
  if state then
    before = states.code(state)
    ready = old_calls.let_go(state, rest_ms or 0)
    after = states.code(state)
  end
  pool.log(verb, number, before, after, reason == '' and 'old call' or reason, '', '', ready, ',"call":"'
    .. texts.json(its_id) .. '"' .. (told or ''))
  return its_id
end

-- Releases the number that was added again. Returns when it may be picked.
function old_calls.let_go(state, rest_ms)
  local rested = pool.now + math.max(pool.conf.cooldown_ms, rest_ms) * 1000
  states.release(state, states.OLD_CALL)
  state.since = string.format('%d', math.max(state.since + 0, rested))
  states.write(state)
  if states.can_be_picked(state) then
    pool.count('aside', -1)
    idle.enter(state)
  end
  return state.since
end

-- What the event reports about the call, as JSON fields for the history.
function old_calls.told()
  local told = ''
  if event.answered ~= '' then
    told = ',"answered":"' .. event.answered .. '","talk_seconds":"' .. event.talk_seconds .. '"'
  end
  if event.release_cause ~= '' then told = told .. ',"cause":"' .. texts.json(event.release_cause) .. '"' end
  return told
end
