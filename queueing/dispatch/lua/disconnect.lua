--[[ dispatch/disconnect
Purpose: An operator closes a peer's link. The peer is pending and may reconnect.
KEYS as dispatch/start
ARGV[1] peer           whose link
ARGV[2] reason         for the history
Reply: [1, 1] or [1, 0]: it had no link
Errors: [-1, reason]: "no such group", "script outdated …", "malformed reason"
Complexity: O(log n + frames that it has)
Version: 1
]]
local refusal = group.open(KEYS[1])
if refusal then return refusal end
local reason = ARGV[2] or ''
if not checks.is_reason(reason) then return checks.refusal('malformed reason') end
local peer = peers.of(ARGV[1] or '')
if not peer or peer.link == '' then return { '1', '0' } end

links.close(group.tag, peer, '4410', 'disconnected')
peers.log('disconnected', peer, reason)
peer.link, peer.process = '', ''
if peer.state == 'active' then links.pend(peer, 'disconnected') else peers.write(peer) end
group.close()
return { '1', '1' }
