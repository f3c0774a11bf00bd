--[[ numbers/force_hangup
Purpose: Ends a call by an operator, or says that it is not paid any longer.
KEYS[1] {pool}                HASH    as numbers/event
KEYS[2] {pool}:numstate       HASH    as numbers/event
KEYS[3] {pool}:idle:up        ZSET    as numbers/event
KEYS[4] {pool}:idle:near      ZSET    as numbers/event
KEYS[5] {pool}:timers         ZSET    as numbers/event
KEYS[6] {pool}:log            STREAM  as numbers/event
KEYS[7] {pool}:registrations  ZSET    as numbers/event
ARGV[1] number             the number in the call
ARGV[2] call_id            only this call; "" = whichever it is
ARGV[3] reason             for the history
ARGV[4] how                end = now; unpaid = live lists and renewals without a voucher keep it no longer
Reply: [1, number, state, "", call_id, id, switch, name]
Errors: -1 "no such pool", "script outdated …"; 0 "unknown number"; -1 "not in a call", "other call"
Complexity: O(log n)
Version: 1
]]
--@include open
--@include machinery
local slow = machinery(now, at)
slow.sync(seq, conf)
local number, id, reason, how = ARGV[1] or '', ARGV[2] or '', slow.clean(ARGV[3]), ARGV[4] or 'end'
if how ~= 'end' and how ~= 'unpaid' then return { '-1', '', '', 'malformed how' } end
local b, u, since, props = slow.read(number)
local reply
if b == '1' then
  local _, _, _, cid, switch = slow.call_in(props)
  if id ~= '' and id ~= cid then
    reply = { '-1', number, slow.state(b, u), 'other call' }
  elseif how == 'unpaid' then
    if not find(props, ',"unpaid":1', 1, true) then slow.write(number, b, u, since, props .. ',"unpaid":1') end
    reply = { '1', number, slow.state(b, u), '', 'call_id', cid, 'switch', switch }
  else
    slow.end_call(number, u, since, props, 'forced', reason, sub(conf, 36, 45) + 0)
    reply = { '1', number, slow.state('0', u), '', 'call_id', cid, 'switch', switch }
  end
else
  local cid = how == 'end' and slow.bury(number, id ~= '' and id or nil, 'forced', reason)
  if cid then reply = { '1', number, slow.state(b, u), 'old call', 'call_id', cid }
  elseif b then reply = { '-1', number, slow.state(b, u), 'not in a call' }
  else reply = { '0', number, 'nodata', 'unknown number' } end
end
if sub(conf, 4, 4) == '1' then slow.serve() end
seq, conf = slow.synced()
--@include close
return reply
