-- The peer that sends, its link and its own number: the next one goes on, one that was done is a
-- repeat, and a missing one closes the link. After this, `me` has sent `number`; nothing is written. WHAT is
-- the frame's kind: a `refused` frame names it in its body.
local number = ARGV[3] or ''
if not find(ARGV[1] or '', '^[fb]:%w[%w._-]*$') or #ARGV[1] > 42 then return { '-1', 'malformed peer' } end
if not find(number, '^[1-9]%d*$') or #number > 15 then return { '-1', 'malformed number' } end
local me = peer_of(ARGV[1])
if not me or me.state == 's' then return { '-1', 'no such peer' } end
if me.link ~= ARGV[2] then return { '-1', 'replaced' } end
local mine = call('HMGET', SEQS, 'i' .. me.key, 'o' .. me.key, 'a' .. me.key)
local before = (mine[1] or 0) + 0
local begins_anew = NEW_NUMBERING and me.held == '1' and number == '1'
if not begins_anew then
  if number + 0 <= before then return { '2', '', '', 'repeat', '0' } end
  if number + 0 > before + 1 then return { '-1', 'gap' } end
end
if (mine[2] or 0) - (mine[3] or 0) >= OUT_LIMIT + ENDS_LIMIT then return { '-1', 'behind' } end
local released = '0'

-- The number is taken; a pending peer whose link still speaks is active, a held outbox goes out.
local function accept()
  call('HSET', SEQS, 'i' .. me.key, number)
  if me.held == '1' then
    me.held, released = '0', '1'
    keep_peer(me)
  end
  if me.state == 'p' then revive(me) end
end

local function refuse(reason, session)
  accept()
  push(me, 'refused', session or '', number, reason, '"' .. WHAT .. '"')
  add('refused')
  return { '0', '', '', reason, released }
end

local function routed(p)
  return { '1', p and p.key or '', p and p.name or '', '', released }
end
