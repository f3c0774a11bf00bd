--[[ dispatch/lost
Purpose: A socket has closed, or sending to it has failed. Its peer is pending at once. A peer that was given its ID
  cannot reconnect, so it is stopped.
KEYS as dispatch/start
ARGV[1] peer           whose socket
ARGV[2] link           its token
ARGV[3] reason         200 characters at most
Reply: [1, 1] or [1, 0]: the link was not the peer's
Errors: [-1, reason]: "no such group", "script outdated …", "malformed reason"
Complexity: O(log n + backs + frames that it has)
Full server: runs
Version: 1
]]
local refusal = group.open(KEYS[1])
if refusal then return refusal end
local reason = ARGV[3] or ''
if not checks.is_reason(reason) then return checks.refusal('malformed reason') end
local peer = peers.of(ARGV[1] or '')
if not peer or peer.link == '' or peer.link ~= ARGV[2] then return { '1', '0' } end

peer.link, peer.process = '', ''
if peer.is_front and not profiles.OF[peer.profile].has_own_id then
  lives.stop(peer, 'lost', reason)
elseif peer.state == 'active' then
  links.pend(peer, reason)
else
  peers.write(peer)
end
group.close()
return { '1', '1' }
