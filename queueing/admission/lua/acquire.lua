--[[ admission/acquire
Purpose: Grants a permit to a named holder, or a place in the line. A holder that asks again gets the permit that it
  has.
KEYS[1] {gate}           HASH    settings, generation, counters; "=<holder>" for each permit
KEYS[2] {gate}:permits   ZSET    holder by deadline, µs
KEYS[3] {gate}:log       STREAM  history
KEYS[4] {gate}:line      ZSET    waiting ones by the µs of their arrival
KEYS[5] {gate}:seen      ZSET    waiting ones by the µs of their last request
KEYS[6] {gate}:starts    LIST    the last starts, newest first, when a rate is set
KEYS[7] {gate}:weights   ZSET    what permits count beyond 1, by binary digit and deadline (weights.lua)
KEYS[8] {gate}:heavy     ZSET    the weights of heavy ones in the line, by binary digit and arrival, and by name
KEYS[9] {gate}:waits     HASH    how long holders waited: counts by minute and bucket (waits.lua)
ARGV[1] holder           1 to 64 of letters, digits and . _ : - ; a letter or digit first
ARGV[2] weight           how many slots it takes, 1 to the cap; left out: 1
ARGV[3] waits            1 = its caller asks again by itself: not counted as refused
Reply: [1, token, deadline in µs, "" or "repeat", now in µs, weight, "" = 1] or
  [0, place, estimate in s, full turn rate paused recovering, ask again in s, now in µs]
Errors: -1 "malformed …", "other weight" (it has a permit), "weight over cap", "no such gate", "script outdated …"
Complexity: O(log cap × log n); with a rate, O(the lesser of weight and rate) besides
Version: 1
]]
local holder, weight, waits_flag = ARGV[1] or '', ARGV[2] or '', ARGV[3] or ''
local malformed = holders.malformed_acquire(holder, weight, waits_flag)
if malformed then return checks.refusal(malformed) end
local refusal, record = gate.open(KEYS[1], '=' .. holder)
if refusal then return refusal end
local reply = holders.acquire(holder, record, weight, waits_flag)
gate.close()
return reply
