--[[ numbers/event
Purpose: Decides one event of a number or of the pool: the state machine with call IDs, leases, incarnations, picking,
  waiting and contacts.
KEYS[1] {pool}                HASH    settings, sequence, counters; the index: call ids, callees, switches, contacts …
KEYS[2] {pool}:numstate       HASH    number → JSON
KEYS[3] {pool}:idle:up        ZSET    pickable numbers by the µs from which they may be picked
KEYS[4] {pool}:idle:near      ZSET    the same by region (region × 2^40 + ms); also some that went down
KEYS[5] {pool}:timers         ZSET    offers, waiters, leases (band × 2^42 + ms)
KEYS[6] {pool}:log            STREAM  history
KEYS[7] {pool}:registrations  ZSET    number by the µs at which its first contact expires
ARGV[1] event                 add del reg unreg call hangup renew; or instead of all one JSON object, or one line: event
  number call_id switch incarnation agent callee, then options, all with a tab between
ARGV[2] number                "-" or left out = none
ARGV[3+] options              name, value, name, value: call_id switch incarnation agent callee
  direction force sticky near paid contact expires seq reason wait_ms cause answered talk_seconds
Reply: [outcome, number, state, reason]; to callers that declare all keys also pairs: lease_seconds
  last_agent place retry_ms release;
  outcome 1 ok, 0 failed, -1 not allowed
Errors: -1 "malformed …", "no such pool", "script outdated …"; docs/reference/numbers/redis.md lists all
Complexity: O(log n)
Full server: runs what gives back
Version: 1
]]
event.read(ARGV, 1, #ARGV, false)
if not IS_FUNCTION then event.delete_first(KEYS[1]) end
local refusal = pool.open(KEYS[1], machine.fields())
if refusal then return refusal end
if event.problem then return pool.refusal('malformed ' .. event.problem, event.number) end
local gives_tag_alone = not CALLED_BY_US and not KEYS[2]
local switch = switches.read(event.switch)
if rights.must_be_tried(switch, gives_tag_alone) then
  local lacking = rights.lacking()
  if lacking then return lacking end
end
if pool.conf.looks_us <= pool.now then upkeep.keep_up() end
local answer = machine.decide(switch)
pool.close()
if gives_tag_alone then return { answer[1], answer[2], answer[3], answer[4] } end
return answer
