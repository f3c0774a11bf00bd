-- How a registration is judged and written, the same for both kinds.
local function malformed(incarnation, link, process, received)
  incarnation = incarnation or ''
  if #incarnation > 40 or not find(incarnation, '^[%w._-]*$') then return 'malformed incarnation' end
  if not find(link or '', '^%w+$') or #link > 40 then return 'malformed link' end
  if not find(process or '', '^%w+$') or #process > 40 then return 'malformed process' end
  if not find(received or '', '^%d+$') or #received > 15 then return 'malformed received' end
end

-- Boot ids prove a restart; without one a pending peer that comes back is a reconnect.
local function other_life(p, incarnation)
  return p.incarnation ~= '' and incarnation ~= '' and p.incarnation ~= incarnation
end

local EVENT = { new = 'registered', reconnect = 'reconnected', restart = 'restarted', takeover = 'replaced' }

-- `was`: the peer as the group knows it, nil = it does not. Writes the new one, and the reply.
local function arrive(was, p, arrival, held, incarnation, link, process, received)
  local replaced_process, replaced_link = '', ''
  if was and was.state == 'a' then
    replaced_process, replaced_link = was.process, was.link
    close_link(was, '4410', 'replaced')
  end
  p.incarnation, p.link, p.process = incarnation, link, process
  p.held, p.resync = held and '1' or '0', was and was.resync or '0'
  p.since = was and was.state == 'a' and was.since or at
  p.state, p.till = 'a', ''
  if incarnation == '' and was and arrival ~= 'restart' then p.incarnation = was.incarnation end
  p.life = arrival == 'new' and p.epoch or was and was.life or p.epoch
  if arrival == 'restart' then
    void(was, 'restart')
    p.epoch, p.life, p.resync = was.epoch, was.epoch, '0'
    renumber(p)
  elseif arrival == 'new' then
    renumber(p)
  elseif was then
    acknowledge(p, received + 0)
  else
    -- Nothing is known of it any more: what it is sent goes on from what it has, its own frames
    -- count from 1. Taking whatever comes first would take one that overtook the first in a batch.
    call('HSET', SEQS, 'i' .. p.key, 0, 'o' .. p.key, received, 'a' .. p.key, received)
    p.resync = '1'
  end
  keep_peer(p)
  call('ZREM', GONE, p.key)
  beats(p)
  if not p.front then settle(p) end
  log(EVENT[arrival], p.key, p.name, '', '', '', p.front and p.profile or p.version)
  local n = call('HMGET', SEQS, 'i' .. p.key, 'o' .. p.key, 'a' .. p.key)
  --@include close
  return { '1', p.key, arrival, n[1] or '0', n[2] or '0', n[3] or '0', replaced_process, replaced_link, p.held, p.resync }
end
