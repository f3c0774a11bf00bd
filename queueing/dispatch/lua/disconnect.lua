--[[ dispatch/disconnect
Purpose: An operator closes a peer's link: it is pending and may come back.
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
ARGV[1] peer           whose link
ARGV[2] reason         for the history
Reply: [1, 1] or [1, 0]: it had no link
Errors: [-1, reason]: "no such group", "script outdated …", "malformed reason"
Complexity: O(log n)
Version: 1
]]
--@include open
--@include peers
--@include states
local reason = ARGV[2] or ''
if #reason > 200 or find(reason, '%c') then return { '-1', 'malformed reason' } end
local p = peer_of(ARGV[1] or '')
if not p or p.link == '' then return { '1', '0' } end
close_link(p, '4410', 'disconnected')
log('disconnected', p.key, p.name, '', '', reason)
p.link, p.process = '', ''
if p.state == 'a' then pend(p, 'disconnected') else keep_peer(p) end
--@include close
return { '1', '1' }
