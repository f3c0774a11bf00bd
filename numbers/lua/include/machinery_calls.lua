-- Calls that end otherwise than by a hangup, calls of deleted numbers, contacts, blocked attempts.

-- Ends the number's call; returns the call id. event and why go into the history.
function slow.end_call(number, u, since, props, event, why, rest_ms)
  local st, kept_1, value_1, seq_text = props, nil, nil, nil
  local cut, _, _, cid = slow.call_in(st)
  local texts = cid
  props = sub(st, 1, cut - 1)
  --@include end_call
  if kept_1 then call('HSET', POOL, kept_1, value_1) end
  return cid
end

-- A number is deleted: what has to be forgotten, and the history's before and after.
function slow.remove(number, st, b, u, since, props)
  call('HDEL', NUMSTATE, number)
  call('HDEL', POOL, 'r:' .. number)
  call('ZREM', REGS, number)
  if not b then -- unreadable
    call('ZREM', IDLE, number)
    call('ZREM', TIMERS, number)
    return '?\t-'
  end
  local held, why, rest = holding(props)
  if held == 'o' then props = slow.unoffer(number, since, props, true)
  elseif held ~= '' and b == '0' and u == '1' then call('HINCRBY', POOL, 'aside', -1) end
  if find(held, 'q', 1, true) then call('HINCRBY', POOL, 'quarantined', -1) end
  if b == '1' then
    if u == '0' then call('HINCRBY', POOL, 'busy_down', -1) end
    call('HSET', POOL, 't:' .. number, st)
    call('HINCRBY', POOL, 'old', 1)
    flag()
    return 'b' .. (u == '1' and 'u' or 'd') .. held .. '\t-x'
  end
  if u == '1' and held == '' then take_out(number) end
  return 'i' .. (u == '1' and 'u' or 'd') .. held .. '\t-'
end

-- Ends the call of a deleted number, if it has that call id ('' = one made without; nil = any).
-- Returns its call id, or nil. A number that was added again becomes pickable. told: JSON fields for the history.
function slow.bury(number, id, event, why, how_rest_ms, told)
  local stone = call('HGET', POOL, 't:' .. number)
  if not stone then return nil end
  local cid = select(4, slow.call_in(stone)) or ''
  if id and id ~= cid then return nil end
  call('HDEL', POOL, 't:' .. number)
  call('ZREM', TIMERS, number)
  if cid ~= '' then call('HSET', POOL, 'c:' .. cid, 'E' .. at .. number) end
  call('HINCRBY', POOL, 'old', -1)
  flag()
  local b, u, since, props = slow.read(number)
  local before, after, ready = '-x', '-', at
  if b then
    local held, reason, rest = holding(props)
    local left = string.gsub(held, 'x', '')
    ready = us(math.max(since + 0, now + math.max(sub(conf, 36, 45) + 0, how_rest_ms or 0) * 1000))
    local reg = u == '1' and 'u' or 'd'
    before, after = 'i' .. reg .. held, 'i' .. reg .. left
    props = hold(left, reason, rest)
    write(number, b, u, ready, props)
    if u == '1' and left == '' then
      call('HINCRBY', POOL, 'aside', -1)
      enter(number, ready, props)
    end
  end
  log(event, number, before, after, why == '' and 'old call' or why, '', '', ready, ',"call":"' .. json(cid) .. '"' .. (told or ''))
  return cid
end

-- SQL has the number that the event add brought at that time (nil: whenever it did): it may be picked. Who is held
-- so is in no call and is not picked, so the time in its state is still that of its add. Returns whether it was.
function slow.confirm(number, added_at)
  local b, u, since, props = slow.read(number)
  local held, why, rest = holding(props or '')
  if b ~= '0' or not find(held, 'u', 1, true) or since ~= (added_at or since) then return false end
  local left, reg = string.gsub(held, 'u', ''), u == '1' and 'u' or 'd'
  local pickable = u == '1' and left == ''
  if pickable then since = at end
  write(number, b, u, since, hold(left, why, rest))
  if pickable then
    call('HINCRBY', POOL, 'aside', -1)
    enter(number, since, rest)
  end
  log('confirmed', number, 'i' .. reg .. held, 'i' .. reg .. left, '', '', '', since)
  return true
end

-- An attempt that found no number: counted, kept for its id, and told.
function slow.blocked(id, switch, agent, callee, why)
  call('HINCRBY', POOL, 'blocked', 1)
  if id ~= '' then call('HSET', POOL, 'c:' .. id, 'B' .. at) end
  log('blocked', '', '', '', why, '', '', '', ',"call":"' .. json(id) .. '","switch":"' .. json(switch) .. '","agent":"'
    .. json(agent) .. '","callee":"' .. json(callee) .. '"')
end

-- A contact comes (up) or goes. Returns whether the number is up now, and a reason.
-- The record: lines "<until, 16 digits><seq> <contact>"; until 0 = gone, kept for its seq.
function slow.contact(number, record, u, up, contact, expires, order)
  local forever = '9999999999999999'
  if not record and u == '1' and (contact ~= '' or not up) then record = forever .. ' ' end
  local lines, mine = slow.contacts(record), nil
  for _, entry in ipairs(lines) do
    if entry[3] == contact then mine = entry end
  end
  if mine and order ~= '' and mine[2] ~= '' and order + 0 < mine[2] + 0 then return u == '1', 'stale' end
  local till = '0000000000000000'
  if up and expires ~= '0' and expires ~= '000000000' then
    till = expires == '' and forever or us(now + expires * 1000000)
  end
  if not up and contact == '' and order == '' then lines = {} -- the whole number goes
  elseif mine then
    mine[1] = till
    if order ~= '' then mine[2] = order end
  else
    lines[#lines + 1] = { till, order, contact }
  end
  return slow.keep_contacts(number, u, lines)
end

-- Keeps a number's contacts: those that live, and the seq of those that are gone. Returns whether the
-- number is up, and a reason.
function slow.keep_contacts(number, u, lines)
  local forever, limit = '9999999999999999', 16
  local alive, first, kept, due = 0, nil, {}, slow.due(CONTACTS_LAG)
  for _, entry in ipairs(lines) do
    local lives = entry[1] + 0 > due
    if lives then
      alive = alive + 1
      if entry[1] ~= forever and (not first or entry[1] < first) then first = entry[1] end
    end
    if lives or entry[2] ~= '' then kept[#kept + 1] = entry end
  end
  if alive > limit then return u == '1', 'too many contacts' end
  local texts = {}
  for i, entry in ipairs(kept) do
    -- The oldest that are gone make room: they are kept only to know a late message as stale.
    if #kept - i < 2 * limit or entry[1] + 0 > due then
      texts[#texts + 1] = entry[1] .. entry[2] .. ' ' .. entry[3]
    end
  end
  if #texts == 0 or (#texts == 1 and texts[1] == forever .. ' ') then call('HDEL', POOL, 'r:' .. number)
  else call('HSET', POOL, 'r:' .. number, table.concat(texts, '\n')) end
  if not first then
    call('ZREM', REGS, number)
  else
    call('ZADD', REGS, first, number)
    local looks = fmt('%016d', slow.due_from(first, CONTACTS_LAG))
    if looks < sub(conf, 104, 119) then column(104, looks) end
    if call('ZCARD', REGS) == 1 then redis.pcall('PUBLISH', 'timers:new', POOL) end -- nothing here expired by time until now
  end
  return alive > 0, ''
end

-- The lines of a contacts' record: until, seq, contact.
function slow.contacts(record)
  local lines = {}
  for line in string.gmatch(record or '', '[^\n]+') do
    lines[#lines + 1] = { match(line, '^(%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d)(%d*) (.*)$') }
  end
  return lines
end
