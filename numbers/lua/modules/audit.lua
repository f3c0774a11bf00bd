-- Differences between the numbers' states and the other keys of a pool (numbers/scan, pool reconcile).
-- Rarely needed.
local audit = {}

audit.SETS = { idle = ':idle:up', near = ':idle:near', timers = ':timers' }

-- Checks one number. Repairs what it finds if must_mend is set. Returns the problem, or '' if there is none.
function audit.number(number, text, must_mend)
  local state = states.parse(number, text)
  if not state then return 'unreadable state' end
  local problem = ''
  if not string.find(text, states.LAYOUT .. '.*}$') or state.is_busy and not calls.fields(state) then
    problem = 'foreign layout'
    if must_mend then states.write(state) end
  end
  local ready = audit.ready(state)
  if states.can_be_picked(state) and ready ~= state.since then
    problem = ready + 0 <= pool.now and 'rests without need' or 'over its cap'
    state.since = ready
    if must_mend then states.write(state) end
  end
  local in_sets = audit.in_sets(state)
  if in_sets ~= '' then
    problem = (problem == '' or audit.OUTRANKS[in_sets]) and in_sets or problem
  end
  if must_mend and problem ~= '' then
    if states.can_be_picked(state) then idle.enter(state) else idle.take_out(number) end
  end
  return audit.lease(state, must_mend) or problem
end

audit.OUTRANKS = { ['not in idle'] = true, ['in idle'] = true, ['in near'] = true }

-- The time from which the number may be picked. A capped number rests until the end of the day. The cap may have been
-- raised or lowered since its last call.
function audit.ready(state)
  local day = string.match(state.props, calls.USES)
  local is_to_end_of_day = day and state.since == day .. '000000'
  if state.since + 0 > pool.now and is_to_end_of_day and not audit.has_reached_cap(state) then return pool.at end
  if state.since + 0 < pool.conf.day_us and calls.is_capped(state) then return pool.conf.day .. '000000' end
  return state.since
end

function audit.has_reached_cap(state)
  local _, used = string.match(state.props, calls.USES)
  return pool.conf.cap > 0 and used + 0 >= pool.conf.cap
end

-- The problem in the idle sets, or nil.
function audit.in_sets(state)
  local is_pickable = states.can_be_picked(state)
  local score = redis.call('ZSCORE', pool.tag .. ':idle:up', state.number)
  if is_pickable and not score then return 'not in idle' end
  if is_pickable and string.format('%d', score) ~= state.since then return 'idle since another time' end
  if not is_pickable and score then return 'in idle' end
  if not pool.conf.near then return '' end
  local near = redis.call('ZSCORE', pool.tag .. ':idle:near', state.number)
  local should_be = is_pickable and state.region
  local is_right = near and should_be and string.format('%d', near) == idle.score(state.region, state.since)
  if should_be and not is_right then return 'not in near' end
  if near and state.is_up and not should_be then return 'in near' end
  return ''
end

-- The problem with the number's lease, or nil.
function audit.lease(state, must_mend)
  local session = leases.of(state.number)
  if state.is_busy and not session then
    if must_mend then leases.begin(state.number, calls.fields(state)) end
    return 'no lease'
  elseif not state.is_busy and session and not old_calls.exists(state.number) then
    if must_mend then leases.remove(state.number) end
    return 'lease without call'
  end
end

-- Whether a member of a set is not a number of this pool. The timers also hold waiting calls and offers.
function audit.is_stray(what, member)
  if what == 'timers' and (string.find(member, '^[wo]') or old_calls.exists(member)) then return false end
  return not states.exists(member)
end
