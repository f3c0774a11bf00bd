--[[ numbers/event
Purpose: One event of a number, or of the pool: the state machine with everything that stands
  beside it (call ids, leases, incarnations, picking, waiting, contacts).
KEYS[1] {pool}                HASH    settings, sequence, counters; the index: call ids, callees, switches, contacts …
KEYS[2] {pool}:numstate       HASH    number → JSON
KEYS[3] {pool}:idle:up        ZSET    pickable numbers by the µs from which they may be picked
KEYS[4] {pool}:idle:near      ZSET    the same by region (region × 2^40 + ms); also some that went down
KEYS[5] {pool}:timers         ZSET    offers, waiters, leases (band × 2^42 + ms)
KEYS[6] {pool}:log            STREAM  history
KEYS[7] {pool}:registrations  ZSET    number by the µs at which its first contact expires
ARGV[1] event                 add del reg unreg call hangup renew; or one JSON object instead of all
ARGV[2] number                "-" or left out = none
ARGV[3+] options              name, value, name, value: call_id switch incarnation agent callee
  direction force sticky near paid contact expires seq reason wait_ms cause answered talk_seconds
Reply: [outcome, number, state, reason]; to callers that declare all keys also pairs: lease_seconds
  last_agent place retry_ms release;
  outcome 1 ok, 0 failed, -1 not allowed
Errors: -1 "malformed …", "no such pool", "script outdated …"; docs/numbers-redis.md lists all
Complexity: O(log n)
Version: 1
]]
--@include names
--@include machinery
local argv, batched, slow = ARGV, false, nil
--@include words
--@include parse
-- One command reads the pool and what it knows of the event's call, switch, callee and region.
local mine = (event == 'call' or event == 'hangup' or event == 'renew') and 'c:' .. id or 'r:' .. number
local alias = 'a:' .. number
local pool
if area ~= '' then
  pool = call('HMGET', POOL, 'conf', 'seq', 'clock', 'carried', 'script_version', alias, mine, 'w:' .. switch, 's:' .. callee,
    'g:' .. area)
elseif callee ~= '' and event == 'call' then
  pool = call('HMGET', POOL, 'conf', 'seq', 'clock', 'carried', 'script_version', alias, mine, 'w:' .. switch, 's:' .. callee)
elseif switch ~= '' then
  pool = call('HMGET', POOL, 'conf', 'seq', 'clock', 'carried', 'script_version', alias, mine, 'w:' .. switch)
else
  pool = call('HMGET', POOL, 'conf', 'seq', 'clock', 'carried', 'script_version', alias, mine)
end
local known, who, stuck, near
alias, known, who, stuck, near = pool[6], pool[7], pool[8], pool[9], pool[10]
--@include opened
if problem then return { '-1', number, '', 'malformed ' .. problem } end
-- The rights of a switch are tried once a second; of one who names none, each time in the form with KEYS[1] alone.
if who and sub(who, 5, 14) ~= sub(at, 1, 10) or not who and (switch ~= '' or not KEYS[2]) then
  --@include rights
end
--@include stored
--@include punctual
local outcome, state, reason, more
--@include decide
if kept_1 then -- a call began or ended
  if slow then seq_text = fmt('%d', seq) end
  if kept_2 then
    call('HSET', POOL, 'seq', seq_text, 'clock', at, 'carried', fmt('%d', carried), kept_1, value_1, kept_2, value_2)
  elseif event == 'call' then
    call('HSET', POOL, 'seq', seq_text, 'clock', at, 'carried', fmt('%d', carried), kept_1, value_1)
  else
    call('HSET', POOL, 'seq', seq_text, 'clock', at, kept_1, value_1)
  end
  --@include closed
else
  --@include close
end
if more and KEYS[2] then
  if #more == 2 then return { outcome, number, state, reason, more[1], more[2] } end
  return { outcome, number, state, reason, unpack(more) }
end
return { outcome, number, state, reason }
