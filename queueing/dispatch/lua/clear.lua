--[[ dispatch/clear
Purpose: A front-end reports that it has restarted and has no sessions. Its routes are void, the backs are notified
  once, and held frames are dropped.
KEYS as dispatch/start
ARGV[1] peer           the sender
ARGV[2] link           the token of its socket
ARGV[3] number         of the peer's own sequence, from 1; 1 as the first frame of a
                       connection: both numberings begin again
Reply: [1 routed, 0 refused, 2 repeat; peer, name, reason, released]; released 1: its held frames may go
Errors: [-1, reason]: "no such group", "script outdated …", "malformed …", "no such peer", "replaced",
  "gap", "behind"; reasons of 0: not yours
Complexity: O(frames that it has + backs)
Full server: runs
Version: 1
]]
local refusal = inbound.open(KEYS[1], 'clear', ARGV[1], ARGV[2], ARGV[3])
if refusal then return refusal end

local front = inbound.sender
local reply
if not front.is_front then
  reply = inbound.refuse('not yours', '')
else
  if front.is_held then frames.drop(front) end
  if inbound.is_anew then frames.renumber(front) end
  inbound.accept()
  inbound.released = '0' -- nothing is left to be read
  local ended = lives.void(front, 'restart')
  peers.write(front)
  peers.log('restarted', front, 'clear', ended, front.profile)
  reply = inbound.routed()
end
group.close()
return reply
