--[[ dispatch/start
Purpose: A front-end begins a session. An instance is chosen, stored and notified.
KEYS[1] {disp}          HASH    conf, generation, seq, counters
KEYS[2] {disp}:peers    HASH    peer → its record
KEYS[3] {disp}:beats    ZSET    active peer by the µs at which it becomes pending
KEYS[4] {disp}:gone     ZSET    pending peer by the µs at which it is stopped
KEYS[5] {disp}:seqs     HASH    numbers and counts of peers
KEYS[6] {disp}:out      HASH    peer, number → frame that the peer has not acknowledged
KEYS[7] {disp}:routes   HASH    session → its route
KEYS[8] {disp}:timers   ZSET    timed and provisional sessions by the µs at which they go
KEYS[9] {disp}:index    ZSET    sessions in lexical order, of fronts and of backs
KEYS[10] {disp}:ready   ZSET    back that takes sessions, by load
KEYS[11] {disp}:ring    ZSET    points of names for sharing by key
KEYS[12] {disp}:names   HASH    name → manual state, upgrade flag, back
KEYS[13] {disp}:clear   ZSET    lives of peers whose routes are void, by µs
KEYS[14] {disp}:log     STREAM  history
KEYS[15] {disp}:health  HASH    name → what its sessions came to, and its ejection
KEYS[16] {disp}:answers ZSET    session whose instance has not answered, by the µs at which that is a failure
KEYS[17] {disp}:backups HASH    backup instances: name → 1
ARGV[1] peer           the sender
ARGV[2] link           the token of its socket
ARGV[3] number         of the peer's own sequence, from 1
ARGV[4] word           the session's name at its front-end
ARGV[5] key            for sharing by key, or ""
ARGV[6] ttl            seconds of a timed route, or ""
ARGV[7] body           JSON text
ARGV[8] confirm        1 = the front-end wants to know which instance accepted it, or 0
Reply: [1 routed, 0 refused, 2 repeat; peer, name, reason, released]; released 1: its held frames may go
Errors: [-1, reason]: "no such group", "script outdated …", "malformed …", "no such peer", "replaced",
  "gap", "behind"; reasons of 0: session exists, no sessions in this profile, not yours, all full, none
  open, peer full, recovering
Complexity: O(log n); by key + 64 points at a time, 8 192 at most
Version: 1
]]
local WORD_BYTES, KEY_BYTES, TTL_DIGITS = 39, 80, 8
local refusal = inbound.open(KEYS[1], 'start', ARGV[1], ARGV[2], ARGV[3])
if refusal then return refusal end
local word, key, ttl, body = ARGV[4] or '', ARGV[5] or '', ARGV[6] or '', ARGV[7] or 'null'
local confirm = ARGV[8] or '0'
local is_word = #word <= WORD_BYTES and string.find(word, '^%w[%w._:@+~-]*$')
local is_ttl = ttl == '' or (#ttl <= TTL_DIGITS and string.find(ttl, '^[1-9]%d*$'))
if not is_word then return checks.refusal('malformed session') end
if not is_text(key, KEY_BYTES) then return checks.refusal('malformed key') end
if not is_ttl then return checks.refusal('malformed ttl') end
if not checks.is_body(body) then return checks.refusal('malformed body') end
if not is_flag(confirm) then return checks.refusal('malformed confirm') end

names.open_due()
local reply = starting.answer(word, key, ttl, body, confirm == '1')
group.close()
return reply
