--[[ admission/acquire
Purpose: A permit for a named holder, or its place in the line. The same holder asking again gets
  the permit that it has.
KEYS[1] {gate}           HASH    settings, generation, counters; "=<holder>" for each permit
KEYS[2] {gate}:permits   ZSET    holder by deadline, µs
KEYS[3] {gate}:log       STREAM  history
KEYS[4] {gate}:line      ZSET    who waits by the µs of the arrival
KEYS[5] {gate}:seen      ZSET    who waits by the µs of the last asking
KEYS[6] {gate}:starts    LIST    the last starts, newest first, when a rate is set
ARGV[1] holder           1 to 64 of letters, digits and . _ : - ; a letter or digit first
Reply: [1, token, deadline in µs, "" or "repeat", now in µs] or
  [0, place, estimate in s, full turn rate paused recovering, ask again in s]
Errors: -1 "malformed holder", "no such gate", "script outdated …"
Complexity: O(log n)
Version: 1
]]
local holder = ARGV[1] or ''
local malformed = holders.malformed_acquire(holder)
if malformed then return checks.refusal(malformed) end
local refusal, record = gate.open(KEYS[1], '=' .. holder)
if refusal then return refusal end
local reply = holders.acquire(holder, record)
gate.close()
return reply
