-- Switches and their incarnations. w:<switch>: session 4, heard (s) 10, incarnation;
-- W:<switch>: superseded incarnations, newest first, joined by tabs. `media`: the switches whose restart ends
-- their calls, joined by tabs; any other is a proxy: its calls go on, so they are kept.

-- A switch that is not known, or not by this incarnation. Returns its session and 'release' when
-- calls of the one before must be released; nil and a reason when it is refused.
function slow.meet(switch, incarnation, record)
  local fields = call('HMGET', POOL, 'switches', 'releasing', 'session', 'media')
  local switches = cjson.decode(fields[1] or '{}')
  local releasing = fields[2] or ''
  local heard = sub(at, 1, 10)
  local old = record and sub(record, 15) or ''
  if record and old == '' then
    call('HSET', POOL, 'w:' .. switch, sub(record, 1, 4) .. heard .. incarnation)
    return sub(record, 1, 4), ''
  end
  if record then
    local before = call('HGET', POOL, 'W:' .. switch) or ''
    if find('\t' .. before .. '\t', '\t' .. incarnation .. '\t', 1, true) then
      return nil, 'stale incarnation'
    end
    local list, count = old, 1
    for one in string.gmatch(before, '[^\t]+') do
      if count < 16 then list, count = list .. '\t' .. one, count + 1 end
    end
    call('HSET', POOL, 'W:' .. switch, list)
    slow.no_list_yet(switch)
    if not find('\t' .. (fields[4] or '') .. '\t', '\t' .. switch .. '\t', 1, true) then -- a proxy
      call('HSET', POOL, 'w:' .. switch, sub(record, 1, 4) .. heard .. incarnation) -- its calls stay in its band
      slow.born('restart', switch, incarnation, 'calls kept')
      return sub(record, 1, 4), ''
    end
  end
  local used, count = {}, 0
  for name, session in pairs(switches) do used[session], count = name, count + 1 end
  for session in string.gmatch(releasing, '%d+') do used[session + 0] = '' end
  if not record and count >= 256 then
    local silent, since = nil, nil
    for name, session in pairs(switches) do
      local its = call('HGET', POOL, 'w:' .. name) or '0000000000000000'
      if (not since or sub(its, 5, 14) < since)
        and call('ZCOUNT', TIMERS, session * BAND, '(' .. us((session + 1) * BAND)) == 0 then
        silent, since = name, sub(its, 5, 14)
      end
    end
    if not silent then return nil, 'too many switches' end
    switches[silent] = nil
    call('HDEL', POOL, 'w:' .. silent, 'W:' .. silent, 'l:' .. silent)
  end
  local session = tonumber(fields[3]) or NO_SWITCH
  repeat
    session = session + 1
    if session > LAST_SESSION then session = NO_SWITCH + 1 end
  until not used[session]
    and call('ZCOUNT', TIMERS, session * BAND, '(' .. us((session + 1) * BAND)) == 0
  local released = ''
  if record then
    local its = sub(record, 1, 4) + 0
    if call('ZCOUNT', TIMERS, its * BAND, '(' .. us((its + 1) * BAND)) > 0 then
      releasing, released = releasing .. ' ' .. sub(record, 1, 4), 'release'
      column(120, string.rep('0', 16)) -- they are due at once
    end
  end
  switches[switch] = session
  call('HSET', POOL, 'switches', cjson.encode(switches), 'releasing', releasing, 'session', session)
  call('HSET', POOL, 'w:' .. switch, us(session) .. heard .. incarnation)
  flag()
  slow.born(record and 'restart' or 'switch', switch, incarnation, '')
  if record then slow.reported(switch) end
  return us(session), released
end

function slow.born(event, switch, incarnation, why)
  log(event, '', '', '', why, '', '', '', ',"switch":"' .. json(switch) .. '","incarnation":"' .. json(incarnation)
    .. '"')
end

-- What a switch listed before counts no more; that it sends lists is remembered. Its lists are counted on, one
-- left out: what the last one before missed, and the next one misses, was not missed by two in a row.
function slow.no_list_yet(switch)
  local list = call('HGET', POOL, 'l:' .. switch)
  if list then call('HSET', POOL, 'l:' .. switch, string.rep('0', 29) .. 'c' .. us(sub(list, 31) + 1)) end
end

-- A recovering pool need not wait for this switch any longer; the last one opens it.
-- What it reported before its numbers were there again could not be taken in: it reports once more.
function slow.reported(switch)
  if sub(conf, 1, 1) ~= 'r' or call('HGET', POOL, 'loaded') ~= '1' then return end
  local awaiting = call('HGET', POOL, 'awaiting')
  if not awaiting then return end
  local left, found = {}, false
  for name in string.gmatch(awaiting, '[^\t]+') do
    if name == switch then found = true else left[#left + 1] = name end
  end
  if not found then return end
  call('HSET', POOL, 'awaiting', table.concat(left, '\t'))
  if #left == 0 then
    slow.open('every switch has reported')
  end
end

function slow.open(why)
  column(1, call('HGET', POOL, 'becomes') or 'o')
  call('HDEL', POOL, 'awaiting', 'open_at', 'becomes')
  log('opened', '', '', '', why)
end

-- Releases the number's call of a superseded incarnation.
function slow.cut_off(number)
  local rest_ms = math.max(sub(conf, 46, 55) + 0, sub(conf, 36, 45) + 0)
  local b, u, since, props = slow.read(number)
  if b == '1' then slow.end_call(number, u, since, props, 'released', 'switch restarted', rest_ms)
  elseif not slow.bury(number, nil, 'released', 'switch restarted', rest_ms) then call('ZREM', TIMERS, number) end
end

-- Releases calls of superseded incarnations, at most `batch`; returns how many, and whether more wait.
function slow.release(batch)
  local releasing = call('HGET', POOL, 'releasing') or ''
  if releasing == '' then return 0, false end
  local released, left = 0, {}
  for session in string.gmatch(releasing, '%d+') do
    local low, high = us(session * BAND), '(' .. us((session + 1) * BAND)
    local numbers = released < batch and call('ZRANGEBYSCORE', TIMERS, low, high, 'LIMIT', 0, batch - released) or {}
    for _, number in ipairs(numbers) do slow.cut_off(number) end
    released = released + #numbers
    if call('ZCOUNT', TIMERS, low, high) > 0 then left[#left + 1] = session end
  end
  call('HSET', POOL, 'releasing', table.concat(left, ' '))
  flag()
  return released, #left > 0
end
