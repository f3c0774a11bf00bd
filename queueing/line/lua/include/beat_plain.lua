-- The path of most: who is there stays there. Written out, since the functions of the other path would be made anew at each call.
local state, queue, class, ticket, arrived, agent, token, word = match(call('HGET', VISITS, ARGV[1]) or '',
  '^([wor]) (%d+) (%d) (%d+) (%d+) %d+ (%S+) %d+ (%S+) (.*)$')
if state and not (state == 'r' and token ~= '-') then
  local ttl = match(call('HGET', QUEUES, queue) or '', '^%a %d (%d+)') or 15 -- a room may outlive its queue
  call('ZADD', TIMERS, int(now_ms + ttl * 1000), 'v' .. ARGV[1])
  if now - h[3] > 3000000 then call('HSET', DESK, 'clock', int(now)) end
  local answer, ahead = 'room', 0
  if state ~= 'r' then
    local from = fmt('%06d', queue)
    answer = state == 'w' and 'waiting' or 'offered'
    ahead = call('ZLEXCOUNT', WAITING, '[' .. from, '(' .. from .. class .. ticket)
  end
  return { answer, int(seq), int(ahead), agent, queue, class, ticket, arrived, word }
end
