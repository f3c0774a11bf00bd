-- The contacts of a number, in the index under r:<number>. Each line has the end of the registration (µs, 16 digits;
-- zeros if the contact is gone and only its order is remembered), the order and the contact's name. A number whose
-- registrations never had a contact has no record. {pool}:registrations holds numbers by the time at which their first
-- registration ends.
-- Rarely needed.
local contacts = {}

contacts.LINE = '^(%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d)(%d*) (.*)$'
contacts.FOREVER = '9999999999999999'
contacts.GONE = '0000000000000000'
contacts.MOST = 16
contacts.MOST_KEPT = 32 -- lines; the oldest ones that are gone make room for new ones
contacts.LATEST_US = 9007199254740991

function contacts.registrations()
  return pool.tag .. ':registrations'
end

function contacts.parse(record)
  local lines = {}
  for line in string.gmatch(record or '', '[^\n]+') do
    local ends, order, name = string.match(line, contacts.LINE)
    lines[#lines + 1] = { ends = ends, order = order, name = name }
  end
  return lines
end

-- Adds the event's contact (is_up) or removes it. Returns whether the number is up now, and a reason.
function contacts.change(state, record, is_up)
  if not record and state.is_up and (event.contact ~= '' or not is_up) then record = contacts.FOREVER .. ' ' end
  local lines, mine = contacts.parse(record), nil
  for _, line in ipairs(lines) do
    if line.name == event.contact then mine = line end
  end
  if mine and event.order ~= '' and mine.order ~= '' and event.order + 0 < mine.order + 0 then
    return state.is_up, 'stale'
  end
  if not is_up and event.contact == '' and event.order == '' then
    lines = {} -- all of the number's contacts go
  elseif mine then
    mine.ends = contacts.ends(is_up)
    if event.order ~= '' then mine.order = event.order end
  else
    lines[#lines + 1] = { ends = contacts.ends(is_up), order = event.order, name = event.contact }
  end
  return contacts.keep(state, lines)
end

function contacts.ends(is_up)
  if not is_up or string.find(event.expires, '^0+$') then return contacts.GONE end
  if event.expires == '' then return contacts.FOREVER end
  return string.format('%d', pool.now + event.expires * settings.SECOND_US)
end

-- Writes the contacts, and the order of those that are gone. Returns whether the number is up, and a reason.
function contacts.keep(state, lines)
  local due = clock.contacts_due()
  local alive, first, kept = 0, nil, {}
  for _, line in ipairs(lines) do
    line.is_there = line.ends + 0 > due
    if line.is_there then
      alive = alive + 1
      if line.ends ~= contacts.FOREVER and (not first or line.ends < first) then first = line.ends end
    end
    if line.is_there or line.order ~= '' then kept[#kept + 1] = line end
  end
  if alive > contacts.MOST then return state.is_up, 'too many contacts' end
  contacts.write(state.number, kept)
  contacts.plan(state.number, first)
  return alive > 0, ''
end

function contacts.write(number, lines)
  local kept = {}
  for place, line in ipairs(lines) do
    if line.is_there or #lines - place < contacts.MOST_KEPT then
      kept[#kept + 1] = line.ends .. line.order .. ' ' .. line.name
    end
  end
  if #kept == 0 or (#kept == 1 and kept[1] == contacts.FOREVER .. ' ') then
    index.remove('r:' .. number)
  else
    index.set('r:' .. number, table.concat(kept, '\n'))
  end
end

-- Schedules the end of the first registration. first: its time, or nil if none ends.
function contacts.plan(number, first)
  if not first then
    redis.call('ZREM', contacts.registrations(), number)
    return
  end
  redis.call('ZADD', contacts.registrations(), first, number)
  local looks_us = clock.contact_ends(first + 0)
  if looks_us < pool.conf.looks_us then pool.set_column('looks', columns.time(looks_us)) end
  -- Until now, no registration had an end.
  if redis.call('ZCARD', contacts.registrations()) == 1 then tell_timers(pool.tag) end
end

function contacts.forget(number)
  index.remove('r:' .. number)
  redis.call('ZREM', contacts.registrations(), number)
end

-- Ends registrations that are due, for this many numbers or fewer. Returns how many numbers went down, and whether more
-- may be due.
function contacts.end_due(most)
  local due = redis.call('ZRANGEBYSCORE', contacts.registrations(), '-inf', string.format('%d', clock.contacts_due()),
    'LIMIT', 0, most)
  local down = 0
  for _, number in ipairs(due) do
    local state = states.read(number)
    if not state then
      contacts.forget(number)
    elseif not contacts.keep(state, contacts.parse(index.get('r:' .. number))) and state.is_up then
      contacts.go_down(state)
      down = down + 1
    end
  end
  local first = redis.call('ZRANGE', contacts.registrations(), 0, 0, 'WITHSCORES')[2] or contacts.LATEST_US
  pool.set_column('looks', columns.time(math.min(clock.contact_ends(first + 0), pool.conf.day_us)))
  return down, #due >= most
end

-- The number's last registration has expired.
function contacts.go_down(state)
  if states.is_held(state, states.OFFERED) then waiting.withdraw(state, true) end
  local before = states.code(state)
  if state.is_busy then
    pool.count('busy_down', 1)
  elseif state.held ~= '' then
    pool.count('aside', -1)
  else
    idle.take_out(state.number)
  end
  state.is_up = false
  states.write(state)
  pool.log('unreg', state.number, before, states.code(state), 'expired', '', state.since, pool.at)
end
