-- The event `call`: a repeated call, a call that asks for a specific number, or a call that gets the next number.
local calling = {}

function calling.answer()
  local known = ids.known(event.call_id)
  if known and known.kind == 'running' then return calling.repeated(known.number) end
  if known and known.kind == 'ended' then return machine.refuse('', 'ended') end
  if known and known.ticket then return calling.in_turn(known) end
  if pool.conf.status == 'recovering' then recovery.open_in_time() end
  local refusal = calling.refusal()
  if refusal then return machine.refuse('', refusal) end
  if pool.conf.special then waiting.serve() end
  local was_blocked = known ~= nil
  if event.number ~= '' then return calling.asked(was_blocked) end
  return calling.picked(was_blocked)
end

-- The call ID already has a number: a reply was lost, or the event came twice. The call may have reached its deadline.
function calling.repeated(number)
  local session, deadline_ms = leases.of(number)
  if pool.conf.special or session and deadline_ms * 1000 <= pool.now then
    lapsing.end_if_due(number)
    if ids.read(event.call_id).kind ~= 'running' then return machine.refuse('', 'ended') end
  end
  if event.number ~= '' and event.number ~= number then return machine.refuse('', 'conflict') end
  event.number = number
  return machine.done_with_lease(states.name_of(number), 'repeat')
end

-- The call is waiting, or a number is offered to it.
function calling.in_turn(turn)
  local left, number = waiting.ask_again(turn)
  if not left then return machine.fail('', 'exhausted') end
  if not number then return waiting.prospect() end
  event.number = number
  local refusal = pool.conf.charged and not vouchers.is_good() and 'charge first'
  if refusal then return machine.refuse('', refusal) end
  local state, text = states.read(number)
  if not state then return calling.unreadable(text) end
  local reason = calling.busy_or_down(state)
  if reason then return machine.refuse(states.name(state), reason) end
  local is_offered = state.held ~= ''
  if is_offered then waiting.withdraw(state, false) end
  return calling.begin(state, event.reason, 'offered', is_offered, left.counted)
end

-- The reason why no call may begin now, or nil.
function calling.refusal()
  if calling.takes_back() then return nil end
  if pool.conf.status ~= 'open' then return pool.conf.status end
  if pool.conf.charged and not vouchers.is_good() then return 'charge first' end
end

-- Whether a recovering pool accepts a call that began before its data was lost. This is never a call *to* a number:
-- that call is new, and its number may be in a call that no switch has reported yet.
function calling.takes_back()
  return pool.conf.status == 'recovering' and event.number ~= '' and event.call_id ~= '' and event.direction == 'out'
end

-- The call asks for a specific number.
function calling.asked(was_blocked)
  local state, text = states.read(event.number)
  if not state then return calling.unreadable(text) end
  state = calling.after_due(state)
  local reason = calling.why_not(state)
  if reason then return machine.refuse(states.name(state), reason) end
  if calling.takes_back() then return calling.begin(state, 'adopted', 'asked', false, was_blocked) end
  local is_offered = state.held == states.OFFERED
  if is_offered then waiting.withdraw(state, true) end
  return calling.begin(state, event.reason, 'asked', is_offered, was_blocked)
end

function calling.unreadable(text)
  if text then return machine.refuse('', 'unreadable state') end
  return machine.fail('nodata', 'unknown number')
end

-- The number's state, after ending its call or its rest if that is due.
function calling.after_due(state)
  local session, deadline_ms = nil, nil
  if state.is_busy or state.held ~= '' then session, deadline_ms = leases.of(state.number) end
  if session and (pool.conf.special or deadline_ms * 1000 <= pool.now) then
    lapsing.end_if_due(state.number)
  elseif not state.is_busy and state.since + 0 > pool.now and event.direction == 'out' then
    upkeep.catch_up()
  else
    return state
  end
  if pool.conf.special then waiting.serve() end
  return states.read(state.number) or state
end

-- The reason why the call can't have the number, or nil.
function calling.why_not(state)
  if state.is_busy then return calling.busy_or_down(state) end
  if calling.takes_back() and not states.is_held(state, states.UNCONFIRMED) then return nil end
  if not state.is_up then return 'offline' end
  if state.held ~= '' then return calling.why_held(state) end
  if event.direction == 'in' or state.since + 0 <= pool.now then return nil end
  if calls.is_capped(state) then return 'capped' end
  if not event.is_forced then return 'resting' end
end

function calling.busy_or_down(state)
  if state.is_busy then return calls.has(state, calls.SUSPECT) and 'suspect' or 'busy' end
  if not state.is_up then return 'offline' end
end

-- A call to a number is accepted even if the number is offered to another call or quarantined. An unconfirmed number is
-- refused, because it may be in a call of another pool.
function calling.why_held(state)
  if states.is_held(state, states.OLD_CALL) then return 'old call' end
  if event.direction == 'in' then return states.is_held(state, states.UNCONFIRMED) and 'unconfirmed' or nil end
  if state.held == states.OFFERED then return 'offered' end
  return states.is_held(state, states.QUARANTINED) and 'quarantined' or 'unconfirmed'
end

-- Picks the next number. If none is free, the call waits or is blocked.
function calling.picked(was_blocked)
  if event.direction == 'in' then return machine.refuse('', 'malformed number') end
  local state, rule, is_out = picking.pick()
  if state then
    event.number = state.number
    return calling.begin(state, event.reason, rule, is_out, was_blocked)
  end
  if event.wait_ms > 0 and waiting.join(was_blocked) then return waiting.prospect() end
  if not was_blocked then
    waiting.count_blocked(event.call_id, 'exhausted', event.switch, event.agent, event.callee)
  end
  return machine.fail('', 'exhausted')
end

-- Begins the call. was_blocked: the call ID has already been counted as blocked, so this is a retry.
function calling.begin(state, reason, rule, is_out, was_blocked)
  local last_agent = event.direction == 'in' and calls.last_agent(state)
  calls.begin(state, reason, rule, is_out)
  if event.direction == 'in' then
    pool.count('carried_in', 1)
  elseif reason ~= 'adopted' then
    pool.carried = pool.carried + 1
  end
  if was_blocked then pool.count('retried', 1) end
  if not state.is_up then pool.count('busy_down', 1) end
  vouchers.use()
  local answer = machine.done_with_lease(states.name(state), '')
  if last_agent then answer[#answer + 1], answer[#answer + 2] = 'last_agent', last_agent end
  return answer
end
