-- The event `renew`: moves a call's deadline to one lease from now, also that of a deleted number's call.
-- Rarely needed.
local renewal = {}

function renewal.answer()
  if event.number == '' then
    local known = ids.read(event.call_id)
    if not known or known.kind ~= 'running' then return machine.fail('', 'unknown call') end
    event.number = known.number
  end
  local state, text = states.read(event.number)
  if text and not state then return machine.refuse('', 'unreadable state') end
  local name, old = states.name(state), pool.conf.special and old_calls.read(event.number)
  if not state and not old then return machine.fail('nodata', 'unknown number') end
  local refusal = renewal.refusal(old or state)
  if refusal then return machine.refuse(name, refusal) end
  if pool.conf.charged then vouchers.use() end
  local session = calls.fields(old or state)
  leases.begin(event.number, session)
  if not old then renewal.clear(state) end
  return machine.done_with_lease(name, old and 'old call' or '')
end

function renewal.refusal(state)
  if not state.is_busy then return 'not in a call' end
  local _, _, its_id = calls.fields(state)
  if its_id ~= event.json(event.call_id) then return event.call_id == '' and 'call id needed' or 'other call' end
  if pool.conf.charged and not vouchers.is_good() then return 'charge first' end
end

-- The call has been heard and is paid for.
function renewal.clear(state)
  local was_suspect = calls.has(state, calls.SUSPECT)
  if not was_suspect and not calls.has(state, calls.UNPAID) then return end
  calls.unmark(state, calls.SUSPECT)
  calls.unmark(state, calls.UNPAID)
  states.write(state)
  if was_suspect then
    local code = states.code(state)
    pool.log_event(event.told, 'renew', state.number, code .. 's', code, event.reason, '', state.since, pool.at)
  end
end
