--[[ numbers/event
Purpose: One event of a number, or of the pool: the state machine with everything that stands
  beside it (call ids, leases, incarnations, picking, waiting, contacts).
KEYS[1] {pool}                HASH    settings, generation, sequence, counters
KEYS[2] {pool}:numstate       HASH    number → JSON
KEYS[3] {pool}:idle:up        ZSET    pickable numbers by the µs from which they may be picked
KEYS[4] {pool}:idle:near      ZSET    the same by region: "<region>|<µs>|<number>", all scores 0
KEYS[5] {pool}:timers         ZSET    offers, waiters, leases (band × 2^42 + ms)
KEYS[6] {pool}:index          HASH    call ids, callees, switches, contacts, vouchers
KEYS[7] {pool}:log            STREAM  history
KEYS[8] {pool}:registrations  ZSET    number by the µs at which its first contact expires
ARGV[1] event                 add del reg unreg call hangup renew; or one JSON object instead of all
ARGV[2] number                "-" or left out = none
ARGV[3+] options              name, value, name, value: call_id switch incarnation agent callee
  direction force sticky near paid contact expires seq reason wait_ms
Reply: [outcome, number, state, reason]; to callers that declare all keys also pairs: lease_seconds
  last_agent place retry_ms release;
  outcome 1 ok, 0 failed, -1 not allowed
Errors: -1 "malformed …", "no such pool", "script outdated …"; docs/numbers-redis.md lists all
Complexity: O(log n)
Version: 1
]]
--@include open
--@include machinery
local argv, batched, slow = ARGV, false, nil
local outcome, number, state, reason, more
--@include one
--@include close
if more and KEYS[2] then return { outcome, number, state, reason, unpack(more) } end
return { outcome, number, state, reason }
