--[[ dispatch/ack
Purpose: A peer has received every frame up to a number. They leave its outbox.
KEYS as dispatch/start
ARGV[1] peer           the sender
ARGV[2] link           the token of its socket
ARGV[3] number         the last that it has
Reply: [1, how many left]
Errors: [-1, reason]: "no such group", "script outdated …", "malformed number", "no such peer",
  "replaced", "gap" (it was never sent)
Complexity: O(frames that leave)
Full server: runs
Version: 1
]]
local refusal = group.open(KEYS[1])
if refusal then return refusal end
local number = ARGV[3] or ''
if not is_digits(number, checks.NUMBER_DIGITS) then return checks.refusal('malformed number') end
local peer, refused = peers.with_link(ARGV[1] or '', ARGV[2])
if not peer then return refused end
local sent = redis.call('HGET', group.tag .. ':seqs', 'o' .. peer.key) or 0
if number + 0 > sent + 0 then return checks.refusal('gap') end

return { '1', string.format('%d', frames.acknowledge(peer, number + 0)) }
