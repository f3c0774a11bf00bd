-- The call that a number is in: [session, agent, call id, callee, switch, incarnation], with "in"
-- behind it for a call to the number; then the marks
--   "suspect":1   its switch has been silent for a lease
--   "ghost":n     the switch's live list n did not name it
--   "unpaid":1    it is not paid any longer
local calls = {}

calls.FIELDS = '^,"call":%[(%d+),"([^"]*)","([^"]*)","[^"]*","([^"]*)"'
calls.SUSPECT = ',"suspect":1'
calls.UNPAID = ',"unpaid":1'
calls.GHOST = ',"ghost":(%d+)'
calls.USES = '^,"day":(%d+),"used":(%d+)(.*)$'
calls.LAST = ',"last":"'

-- Its session, agent, call id and switch, as JSON has them.
function calls.fields(state)
  if not state.id then
    state.session, state.agent, state.id, state.switch = string.match(state.call, calls.FIELDS)
  end
  return state.session, state.agent, state.id, state.switch
end

-- Its call id as it came; '' = it was made without.
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

-- The number's call begins now: the event's. `state` is what it was before; is_out_of_idle: it has been taken out of
-- the idle set. reason and rule go into the history; '' where there is nothing to say.
function calls.begin(state, reason, rule, is_out_of_idle)
  local since, before = state.since, states.line(state)
  if state.is_up and state.held == '' then
    idle.remove(state.number, state.region, is_out_of_idle)
  elseif state.is_up then
    pool.count('aside', -1)
  elseif pool.conf.near and state.region then
    idle.remove_near(state.number) -- left there when it went down; only a call that is taken back begins so
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

-- The event's call as a state keeps it.
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

-- Whether the number has been used as often as it may be today.
function calls.is_capped(state)
  local cap = pool.conf.cap
  if cap == 0 then return false end
  local day, used = string.match(state.props, calls.USES)
  return day == pool.conf.day and used + 0 >= cap
end

function calls.forget_agent(state)
  local begin = string.find(state.props, calls.LAST, 1, true) -- the last of the properties
  if begin then state.props = string.sub(state.props, 1, begin - 1) end
end

-- The number's call ends now. verb and reason go into the history; the number rests for rest_ms at least. `told`: the
-- history's texts, the call id first.
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

-- When the number may be picked again, and the mark of that in the history: r rests, c capped.
function calls.rest(state, rest_ms)
  local ready = pool.now + rest_ms * 1000
  if pool.conf.day_us > ready and calls.is_capped(state) then return pool.conf.day_us, 'c' end
  return ready, rest_ms > 0 and 'r' or ''
end

-- The agent of the call that ends may be called back on the number for a while.
function calls.remember_agent(state)
  local _, agent = calls.fields(state)
  if agent == '' then return end
  calls.forget_agent(state)
  local ends = string.format('%d', pool.now + pool.conf.callback_us)
  state.props = state.props .. calls.LAST .. agent .. '","until":' .. ends
end

-- The agent who may be called back on the number now; nil = nobody.
function calls.last_agent(state)
  local agent, ends = string.match(state.props, ',"last":"([^"]*)","until":(%d+)')
  if agent and ends + 0 >= pool.now then return texts.plain(agent) end
end

-- Ends the call otherwise than by an event; returns its call id and its switch.
function calls.release(state, verb, reason, rest_ms)
  local _, _, id, switch = calls.fields(state)
  id, switch = texts.plain(id or ''), texts.plain(switch or '')
  calls.finish(state, verb, reason, rest_ms, id, id)
  return id, switch
end
