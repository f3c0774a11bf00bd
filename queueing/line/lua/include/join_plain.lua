-- The path of most: no skills, no place of before, and no agent of the queue is free. Written out, since the functions of
-- the other path would be made anew at each call. tests/line/desk/test_desk_plain.py holds the one against the other.
if not known and skills == '' and arrived == '' then
  local mode, open, ttl, longest, most, none = match(settings, '^(%a) (%d) (%d+) %d+ %d+ %d+ %d+ (%d+) (%d+) %d+ (%a)')
  local of_queue = fmt('%06d', queue)
  local low, high = '[' .. of_queue, '(' .. of_queue .. '~'
  if open == '1' and call('ZLEXCOUNT', WAITING, low, high) < most + 0
    and (none == 'w' or ARGV[6] == '1' or (call('HGET', DESK, 'online:' .. queue) or '0') ~= '0')
    and (mode == 'm' or status ~= 'o' or not call('ZRANGEBYLEX', FREE, low, high, 'LIMIT', 0, 1)[1]) then
    local ticket = int(now > last_ticket + 0 and now or last_ticket + 1)
    local joined = ticket
    if ticket - now > 1000000 then
      --@include tickets
    end
    local place = class .. ticket .. ':' .. id
    last_ticket, joined_total = ticket, int(joined_total + 1)
    call('ZADD', TIMERS, int(now_ms + ttl * 1000), 'v' .. id)
    if longest ~= '0' then call('ZADD', TIMERS, int(joined / 1000 + longest * 1000), 'm' .. id) end
    seq = append(LOG, seq, h[4], h[5], now, 'k', 'join', 'v', id, 'q', queue, 'c', class, 't', ticket, 'd', '+', 'n', '0')
    call('HSET', VISITS, id, 'w ' .. queue .. ' ' .. class .. ' ' .. ticket .. ' ' .. joined .. ' 0 - ' .. int(now_ms) .. ' - -')
    call('ZADD', WAITING, 0, of_queue .. place)
    call('ZADD', READY, 0, of_queue .. '00' .. place)
    --@include close
    local ahead = call('ZLEXCOUNT', WAITING, low, '(' .. of_queue .. class .. ticket)
    return { 'waiting', int(seq), int(ahead), '-', queue, class, ticket, joined, '-' }
  end
end
