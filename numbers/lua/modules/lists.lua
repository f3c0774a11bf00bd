-- Live lists: the calls that a switch reports as running (numbers/live_list). In the index: l:<switch> has its last
-- list, x:<call ID> a call that was listed but has no lease. Two lists in a row correct the pool.
-- Rarely needed.
local lists = {}

lists.RECORD = '^(%d%d%d%d%d%d%d%d%d%d%d%d%d)(%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d)([oc])(%d+)$'
lists.STRANGER = '^(%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d)(.*)$'
lists.TWICE_US = 600000000 -- a call must be listed again within this time
lists.AHEAD_US = 1000000 -- a list may be this much ahead of our clock
lists.NAME_BYTES = 64
lists.ID_BYTES = 128
lists.OFFSET_DIGITS = 9

-- mark_ms: a listed call's deadline is set to mark + lease, so the scores show which calls were not listed. as_of (µs,
-- text): up to when the switch had received answers when it made the list. is_open: parts of the list are still to
-- come. count: how many lists the switch has sent. Returns nil if it never sent one.
function lists.read(switch)
  local record = index.get('l:' .. switch)
  if not record then return nil end
  local mark, as_of, status, count = string.match(record, lists.RECORD)
  return { mark_ms = mark + 0, as_of = as_of, is_open = status == 'o', count = count + 0 }
end

function lists.write(switch, list)
  index.set('l:' .. switch, string.format('%013d', list.mark_ms) .. list.as_of .. (list.is_open and 'o' or 'c')
    .. string.format('%d', list.count))
end

-- Discards the switch's last list, but remembers that it sends lists. The count skips one number, so that a call
-- missing from the lists before and after the gap is not missing from two lists in a row.
function lists.expect(switch)
  local list = lists.read(switch)
  if not list then return end
  lists.write(switch, { mark_ms = 0, as_of = columns.time(0), is_open = false, count = list.count + 1 })
end

-- Records a listed call that has no lease. Returns whether the list before contained it, too.
function lists.is_listed_twice(id, switch, count)
  local record = index.get('x:' .. id)
  if not record then return false end
  local at, list = string.match(record, lists.STRANGER)
  return pool.now - at < lists.TWICE_US and list == string.format('%d', count - 1) .. ' ' .. switch
end

function lists.remember_stranger(id, switch, count)
  index.set('x:' .. id, pool.at .. string.format('%d', count) .. ' ' .. switch)
end

-- Adds one row to the reply.
function lists.tell(reply, kind, id, number)
  local count = #reply
  reply[count + 1], reply[count + 2], reply[count + 3] = kind, id, number
end

-- Handles one call of the list. Returns whether its lease was renewed.
function lists.take(reply, id, number, switch, list)
  local known = ids.read(id)
  local kind = known and known.kind
  if kind == 'running' then return lists.renew(reply, id, number, known.number, switch, list) end
  if kind == 'waiting' or kind == 'offered' then return false end
  -- The call ended after the switch made the list.
  if kind == 'ended' and known.at + lapsing.LIST_MARGIN_US > list.as_of + 0 then return false end
  local state = number ~= '' and states.read(number) or nil
  if state and lists.may_adopt(state, id, switch, list) then
    lists.adopt(state, id, switch)
    lists.tell(reply, 'adopted', id, number)
  else
    lists.remember_stranger(id, switch.name, list.count)
    lists.tell(reply, state and state.is_busy and 'conflict' or 'call_without_lease', id, number)
  end
  return false
end

-- The call has a lease. It is renewed if the call is paid for.
function lists.renew(reply, id, number, its_number, switch, list)
  local state = states.read(its_number)
  local is_there = state and state.is_busy
  local call = is_there and state or old_calls.read(its_number)
  local is_paid = not call or not calls.has(call, calls.UNPAID)
  if is_paid then
    local session = call and calls.fields(call) or switch.session
    leases.set(its_number, session, list.mark_ms + pool.conf.lease_ms)
    if is_there and calls.has(state, calls.SUSPECT) then lists.clear(state, id) end
  else
    lists.tell(reply, 'hang_up', id, its_number)
  end
  if number ~= '' and number ~= its_number then lists.tell(reply, 'conflict', id, number) end
  return is_paid
end

-- The call is no longer suspect.
function lists.clear(state, id)
  calls.unmark(state, calls.SUSPECT)
  states.write(state)
  local code = states.code(state)
  local call = ',"call":"' .. texts.json(id) .. '"'
  pool.log('renew', state.number, code .. 's', code, 'in live list', '', state.since, '', call)
end

-- Whether the number may be in the call: while the pool recovers, or if two lists in a row contain it.
function lists.may_adopt(state, id, switch, list)
  if state.is_busy then return false end
  if states.is_held(state, states.OLD_CALL) or states.is_held(state, states.UNCONFIRMED) then return false end
  return pool.conf.status == 'recovering' or lists.is_listed_twice(id, switch.name, list.count)
end

-- Begins the call as its event would have.
function lists.adopt(state, id, switch)
  if state.held == states.OFFERED then waiting.withdraw(state, true) end
  local words = { 'call', state.number, 'call_id', id, 'switch', switch.name, 'incarnation', switch.incarnation }
  event.read(words, 1, #words, true)
  event.session = switch.session
  calls.begin(state, 'adopted', '', false)
  if not state.is_up then pool.count('busy_down', 1) end
  index.remove('x:' .. id)
end

-- What is malformed in a listed call, or nil.
function lists.fault(id, number)
  if id == '' or #id > lists.ID_BYTES or string.find(id, '[^ -~]') then return 'call id' end
  if number ~= '' and not spellings.is_number(number) then return 'number' end
end

function lists.is_switch(name, incarnation)
  return name ~= '' and #name <= lists.NAME_BYTES and #incarnation <= lists.NAME_BYTES
    and not string.find(name .. incarnation, '[^ -~]')
end

function lists.is_time(text)
  return #text == #columns.time(0) and not string.find(text, '%D')
end

-- Begins a list, or continues it with its next part. Returns the switch and the list, or nil, nil and the reason for a
-- refusal.
function lists.begin(name, incarnation, as_of, is_first)
  local switch, list = switches.read(name), lists.read(name)
  -- A list from the future was made before the clock was set back. It does not make newer lists outdated.
  if list and is_first and list.as_of - pool.now > lists.AHEAD_US then list = nil end
  local is_same = switch and switch.incarnation == incarnation
  local goes_on = is_same and list and list.is_open and list.as_of == as_of
  if not is_first and not goes_on or is_first and is_same and list and list.as_of > as_of then
    return nil, nil, 'stale list'
  end
  if is_same then
    switches.write(switch)
  else
    local session, refusal = lives.meet(name, incarnation, switch)
    if not session then return nil, nil, refusal end
    switch, list = switches.read(name), lists.read(name)
  end
  if is_first then
    local count = list and list.count + 1 or 1
    list = { mark_ms = math.floor(pool.now / 1000), as_of = as_of, is_open = true, count = count }
    lists.write(name, list)
  end
  return switch, list, nil
end
