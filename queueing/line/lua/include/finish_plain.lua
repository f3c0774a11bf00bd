-- The path of most: nobody needs skills, no calls back, no offers, no wrap-up, nobody is silent. Written out, since the functions of the
-- other path would be made anew at each call. tests/line/desk/test_desk_plain.py holds the one against the other.
if status == 'o' and needs == 0 and calls == 0 then
  local agent, visit = ARGV[1], ARGV[2] or ''
  local who, capacity, theirs, profile, since, ttl, misses, login, slots, word = match(call('HGET', AGENTS, agent) or '',
    '^(o (%d+) (%S+) (%d%d)) (%d+) (%d+ %-) (%d+) (%d+) (%S+) (.*)$')
  local queue, class, ticket, arrived, need, with = match(call('HGET', VISITS, visit) or '', '^r (%d+) (%d) (%d+) (%d+) (%d+) (%S+) ')
  local plain, all, begin, stop = who and with == agent and not find(',' .. slots, ',[ow]')
  if plain then
    all = ',' .. slots .. ','
    begin, stop = find(all, ',r' .. visit .. ',', 1, true)
  end
  local automatic = {} -- queues, as six digits
  if begin then
    local mode, wrap = match(call('HGET', QUEUES, queue) or '', '^(%a) %d %d+ %d+ %d+ %d+ (%d+) ')
    plain = wrap == '0'
    for q in gmatch(theirs, '%d+') do
      local id = int(q)
      local its = id == queue and mode or sub(call('HGET', QUEUES, id) or '-', 1, 1)
      if its == 'o' then plain = false elseif its == 'a' then automatic[#automatic + 1] = q end
    end
  end
  local first -- of those who are ready
  if begin and plain then
    local best
    for i = 1, #automatic do
      local from = automatic[i] .. '00'
      local entry = call('ZRANGEBYLEX', READY, '[' .. from, '(' .. from .. '~', 'LIMIT', 0, 1)[1]
      if entry and (not best or sub(entry, 9, 25) < best) then best, first = sub(entry, 9, 25), entry end
    end
    if first then
      local due = call('ZMSCORE', TIMERS, 'a' .. agent, 'v' .. sub(first, 27))
      -- With more than one slot free somebody would have been served already.
      plain = due[1] and due[2] and due[1] + 0 > now_ms and due[2] + 0 > now_ms
        and select(2, string.gsub(slots, ',', '')) + 1 >= capacity + 0
    end
  end
  if begin and plain then
    local ms = int(now_ms)
    local function tell(kind, id)
      local text = '{"op":"personal","kind":"line.' .. kind .. '","data":{"visit":"' .. id .. '","agent":"' .. agent .. '","seq":' .. int(seq) .. '}}'
      redis.pcall('PUBLISH', 'live:to:visitor:' .. id, text)
      redis.pcall('PUBLISH', 'live:to:user:' .. agent, text)
    end
    all = sub(all, 1, begin) .. sub(all, stop + 1)
    local used = select(2, string.gsub(all, ',', '')) - 1
    local stood = used + 1 < capacity + 0 and fmt('%s%02d%s', profile, used + 1, since) or ''
    call('ZADD', TIMERS, int(now_ms + 600000), 'v' .. visit)
    call('HSET', VISITS, visit, fmt('e %s %s %s %s %s %s %s - served', queue, class, ticket, arrived, need, agent, ms))
    seq = append(LOG, seq, h[4], h[5], now, 'k', 'end', 'v', visit, 'a', agent, 'q', queue, 'c', class, 't', ticket, 'd', '',
      'w', 'served', 'by', ARGV[3] or '', 'r', '1')
    tell('end', visit)
    if first then
      local id, why = sub(first, 27), 'agent_became_free_rooms_' .. used .. '_idle_s_0'
      local q, c, t, j = match(call('HGET', VISITS, id), '^w (%d+) (%d) (%d+) (%d+) ')
      call('ZREM', TIMERS, 'm' .. id, 'x' .. id)
      call('HSET', VISITS, id, fmt('r %s %s %s %s 0 %s %s - %s', q, c, t, j, agent, ms, why))
      call('ZREM', WAITING, sub(first, 1, 6) .. sub(first, 9))
      call('ZREM', READY, first)
      seq = append(LOG, seq, h[4], h[5], now, 'k', 'room', 'v', id, 'a', agent, 'q', q, 'c', c, 't', t, 'd', '-' .. q .. ':' .. c .. ':' .. t,
        'w', why, 'ms', int(math.max(0, math.floor((now - j) / 1000))))
      tell('room', id)
      misses, used, all = '0', used + 1, all .. 'r' .. id .. ','
      answered_total = int(answered_total + 1)
    end
    slots = all == ',' and '-' or sub(all, 2, -2)
    call('HSET', AGENTS, agent, fmt('%s %s %s %s %s %s %s', who, ms, ttl, misses, login, slots, word))
    local stands = used < capacity + 0 and fmt('%s%02d%s', profile, used, ms) or ''
    if stands ~= stood then
      for q in gmatch(theirs, '%d+') do
        if stood ~= '' then call('ZREM', FREE, q .. stood .. ':' .. agent) end
        if stands ~= '' then call('ZADD', FREE, 0, q .. stands .. ':' .. agent) end
      end
    end
    --@include close
    return { 'ok', int(seq), 'o', slots }
  end
end
