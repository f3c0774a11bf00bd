-- Calls that a live list does not name. Those younger than the list are not judged; what two lists in
-- a row do not name is released.
-- Rarely needed.
local judging = {}

judging.LONGER_MS = 1000

-- Judges calls that the list does not name, of a range of leases; adds what is to be told to `reply`. Returns how many
-- have kept their lease, and how many it looked at.
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

-- kept: too young to be judged; lease_without_call: not named; released: not named twice.
function judging.verdict(state, list)
  if state.since - pool.now > pool.STAMP_US then -- begun before the clock was put back: young once more
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

-- The list is whole: what it does not name is judged, so many at once. Returns the offset from which to go on, '' = all
-- have been judged.
function judging.finish(switch, list, offset, most, reply)
  local band, lease_ms = switch.session * leases.BAND, pool.conf.lease_ms
  local named = '(' .. string.format('%d', band + list.mark_ms + lease_ms)
  local kept, looked = judging.judge(list, string.format('%d', band), named, offset, most, reply)
  if looked >= most then return string.format('%d', offset + kept) end
  -- Leases of a longer setting are behind those of calls that began since.
  local longer = '(' .. string.format('%d', band + math.floor(pool.now / 1000) + lease_ms + judging.LONGER_MS)
  local _, next_band = lapsing.band(switch.session)
  judging.judge(list, longer, next_band, 0, most, reply)
  list.is_open = false
  lists.write(switch.name, list)
  recovery.report(switch.name)
  return ''
end
