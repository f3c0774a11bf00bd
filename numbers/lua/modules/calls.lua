-- The call that a number is in: [session, agent, call ID, callee, switch, incarnation], followed by "in" for a call to
-- the number, and by these marks:
--   "suspect":1   its switch has not been heard for one lease
--   "ghost":n     the switch's live list number n did not contain the call
--   "unpaid":1    the call is no longer paid for
local calls = {}

calls.FIELDS = '^,"call":%[(%d+),"([^"]*)","([^"]*)","[^"]*","([^"]*)"'
calls.SUSPECT = ',"suspect":1'
calls.UNPAID = ',"unpaid":1'
calls.GHOST = ',"ghost":(%d+)'
calls.USES = '^,"day":(%d+),"used":(%d+)(.*)$'
calls.LAST = ',"last":"'

-- The call's session, agent, call ID and switch, as JSON texts.
function calls.fields(state)
  if not state.id then
    state.session, state.agent, state.id, state.switch = string.match(state.call, calls.FIELDS)
  end
  return state.session, state.agent, state.id, state.switch
end

-- The call ID without JSON escapes, or '' if the call has none.
function calls.id(state)
  local _, _, id = calls.fields(state)
  return texts.plain(id or '')
end

function calls.has(state, mark)
  return string.find(state.call, mark, 1, true) ~= nil
end

function calls.mark(state, mark)
  state.call = state.call .. mark
end

function calls.unmark(state, mark)
  state.call = string.gsub(state.call, mark, '')
end

-- Begins the event's call. `state` is the number's state before it. is_out_of_idle: the number has already been removed
-- from the idle set. reason and rule are written to the history and may be ''.
function calls.begin(state, reason, rule, is_out_of_idle)
  local since, before = state.since, states.line(state)
  if state.is_up and state.held == '' then
    idle.remove(state.number, state.region, is_out_of_idle)
  elseif state.is_up then
    pool.count('aside', -1)
  elseif pool.conf.near and state.region then
    idle.remove_near(state.number) -- left from when it went down; only a recovering pool gets here
  end
  local is_new = event.direction == 'out' and reason ~= 'adopted'
  if is_new and pool.conf.cap > 0 then calls.count_use(state) end
  if is_new and event.agent ~= '' then calls.forget_agent(state) end
  state.is_busy, state.since, state.call = true, pool.at, calls.text_of_event()
  states.write(state)
  leases.begin(state.number, event.session)
  if event.call_id ~= '' then ids.begin(event.call_id, state.number) end
  if event.direction == 'out' and event.callee ~= '' then sticky.remember(event.callee, state.number) end
  pool.log_event(event.told, 'call', state.number, 'i' .. before, 'b' .. before, reason, rule, since, '')
end

-- The event's call in the form in which a state stores it.
function calls.text_of_event()
  local agent, id, callee = event.json(event.agent), event.json(event.call_id), event.json(event.callee)
  local switch, incarnation = event.json(event.switch), event.json(event.incarnation)
  return ',"call":[' .. event.session .. ',"' .. agent .. '","' .. id .. '","' .. callee .. '","' .. switch .. '","'
    .. incarnation .. (event.direction == 'in' and '","in"]' or '"]')
end

-- Counts one more use today, for the daily cap.
function calls.count_use(state)
  local today = pool.conf.day
  local day, used, rest = string.match(state.props, calls.USES)
  local uses = day == today and string.format('%d', used + 1) or '1'
  state.props = ',"day":' .. today .. ',"used":' .. uses .. (rest or state.props)
end

-- Whether the number has reached its daily cap.
function calls.is_capped(state)
  local cap = pool.conf.cap
  if cap == 0 then return false end
  local day, used = string.match(state.props, calls.USES)
  return day == pool.conf.day and used + 0 >= cap
end

function calls.forget_agent(state)
  local begin = string.find(state.props, calls.LAST, 1, true) -- the last property
  if begin then state.props = string.sub(state.props, 1, begin - 1) end
end

-- Ends the number's call. verb and reason are written to the history. The number rests for rest_ms or longer. `told`:
-- the history's texts, beginning with the call ID.
function calls.finish(state, verb, reason, rest_ms, told, id)
  local since, before = state.since, states.line(state)
  local suspect = calls.has(state, calls.SUSPECT) and 's' or ''
  local ready, rests = calls.rest(state, rest_ms)
  if pool.conf.callback_us > 0 then calls.remember_agent(state) end
  state.is_busy, state.since, state.call = false, string.format('%d', ready), ''
  states.write(state)
  if state.is_up and state.held == '' then
    idle.add(state)
  elseif state.is_up then
    pool.count('aside', 1)
  else
    pool.count('busy_down', -1)
  end
  leases.remove(state.number)
  if id ~= '' then ids.finish(id, state.number) end
  local after = 'i' .. before .. rests
  pool.log_event(told, verb, state.number, 'b' .. before .. suspect, after, reason, '', since, state.since)
end

-- When the number may be picked again, and the history's mark for it: r = resting, c = capped.
function calls.rest(state, rest_ms)
  local ready = pool.now + rest_ms * 1000
  if pool.conf.day_us > ready and calls.is_capped(state) then return pool.conf.day_us, 'c' end
  return ready, rest_ms > 0 and 'r' or ''
end

-- Remembers the agent of the call that ends, so that the callee can reach this agent for a while by calling the number
-- back.
function calls.remember_agent(state)
  local _, agent = calls.fields(state)
  if agent == '' then return end
  calls.forget_agent(state)
  local ends = string.format('%d', pool.now + pool.conf.callback_us)
  state.props = state.props .. calls.LAST .. agent .. '","until":' .. ends
end

-- The agent for calls back to the number, or nil.
function calls.last_agent(state)
  local agent, ends = string.match(state.props, ',"last":"([^"]*)","until":(%d+)')
  if agent and ends + 0 >= pool.now then return texts.plain(agent) end
end

-- Ends the call without a hangup event. Returns its call ID and its switch.
function calls.release(state, verb, reason, rest_ms)
  local _, _, id, switch = calls.fields(state)
  id, switch = texts.plain(id or ''), texts.plain(switch or '')
  calls.finish(state, verb, reason, rest_ms, id, id)
  return id, switch
end
