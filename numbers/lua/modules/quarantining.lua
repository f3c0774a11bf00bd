-- Numbers that an operator excludes from picking, with a reason. Running calls continue.
-- Rarely needed.
local quarantining = {}

-- Returns whether anything has changed. An offer is withdrawn in any case.
function quarantining.put(state, is_on, reason)
  if state.held == states.OFFERED then
    waiting.withdraw(state, true)
    states.write(state)
    idle.enter(state)
  end
  if states.is_held(state, states.QUARANTINED) == is_on then return false end
  local before, was_pickable = states.code(state), states.can_be_picked(state)
  if is_on then
    state.held, state.why = state.held .. states.QUARANTINED, texts.json(reason)
  else
    states.release(state, states.QUARANTINED)
    state.why = ''
  end
  if was_pickable then
    idle.take_out(state.number)
    pool.count('aside', 1)
  elseif states.can_be_picked(state) then
    if state.since + 0 < pool.now then state.since = pool.at end
    pool.count('aside', -1)
    idle.enter(state)
  end
  states.write(state)
  pool.count('quarantined', is_on and 1 or -1)
  local verb = is_on and 'quarantined' or 'unquarantined'
  pool.log(verb, state.number, before, states.code(state), reason, '', '', state.since)
  return true
end
