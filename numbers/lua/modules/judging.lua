-- Calls that a live list does not contain. Calls younger than the list are not judged. A call that is missing from two
-- lists in a row is released.
-- Rarely needed.
local judging = {}

judging.LONGER_MS = 1000

-- Judges the calls in a range of leases that the list does not contain, and adds the results to `reply`. Returns how
-- many kept their lease, and how many were checked.
function judging.judge(list, from, to, skip, most, reply)
  local numbers = redis.call('ZRANGEBYSCORE', pool.tag .. ':timers', from, to, 'LIMIT', skip, most)
  local kept = 0
  for _, number in ipairs(numbers) do
    local state = states.read(number)
    local verdict = state and state.is_busy and judging.verdict(state, list) or 'kept'
    if verdict ~= 'kept' then lists.tell(reply, verdict, calls.id(state), number) end
    if verdict == 'released' then
      calls.release(state, 'released', 'not in live list', pool.conf.cooldown_ms)
    else
      kept = kept + 1
    end
  end
  return kept, #numbers
end

-- kept: too young to judge; lease_without_call: missing from this list; released: missing from two lists.
function judging.verdict(state, list)
  if state.since - pool.now > pool.STAMP_US then -- begun before the clock was set back: still young
    state.since = pool.at
    states.write(state)
  end
  if state.since + lapsing.LIST_MARGIN_US > list.as_of + 0 or calls.has(state, calls.UNPAID) then return 'kept' end
  local ghost = string.match(state.call, calls.GHOST)
  if ghost and ghost + 0 == list.count - 1 then return 'released' end
  calls.unmark(state, calls.GHOST)
  calls.mark(state, ',"ghost":' .. string.format('%d', list.count))
  states.write(state)
  return 'lease_without_call'
end

-- Judges what a complete list does not contain, this many leases in one call. Returns the offset to continue from, or
-- '' if all have been judged.
function judging.finish(switch, list, offset, most, reply)
  local band, lease_ms = switch.session * leases.BAND, pool.conf.lease_ms
  local named = '(' .. string.format('%d', band + list.mark_ms + lease_ms)
  local kept, looked = judging.judge(list, string.format('%d', band), named, offset, most, reply)
  if looked >= most then return string.format('%d', offset + kept) end
  -- Leases from before the setting was shortened come after those of calls that began since.
  local longer = '(' .. string.format('%d', band + math.floor(pool.now / 1000) + lease_ms + judging.LONGER_MS)
  local _, next_band = lapsing.band(switch.session)
  judging.judge(list, longer, next_band, 0, most, reply)
  list.is_open = false
  lists.write(switch.name, list)
  recovery.report(switch.name)
  return ''
end
