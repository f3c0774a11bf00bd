--[[ dispatch/outbox
Purpose: Reads a peer's frames from a number on, in order. Returns none while they are held.
KEYS as dispatch/start
ARGV[1] peer           whose outbox
ARGV[2] link           the token of its socket
ARGV[3] from           the first number
ARGV[4] count          how many at most, 1 to 500
Reply: [1, number, frame, …]
Errors: [-1, reason]: "no such group", "script outdated …", "malformed …", "no such peer", "replaced"
Complexity: O(count)
Version: 1
]]
local MOST = 500
local refusal = group.open(KEYS[1])
if refusal then return refusal end
local from, count = ARGV[3] or '', whole(ARGV[4], 1, MOST)
if not is_digits(from, checks.NUMBER_DIGITS) then return checks.refusal('malformed number') end
if not count then return checks.refusal('malformed count') end
local peer, refused = peers.with_link(ARGV[1] or '', ARGV[2])
if not peer then return refused end

local reply = { '1' }
if peer.is_held then return reply end
local acked, sent = unpack(redis.call('HMGET', group.tag .. ':seqs', 'a' .. peer.key, 'o' .. peer.key))
local first = math.max(from + 0, (acked or 0) + 1)
local fields = frames.fields(peer, first, math.min((sent or 0) + 0, first + count - 1))
local entries = #fields > 0 and redis.call('HMGET', group.tag .. ':out', unpack(fields)) or {}
for place = 1, #entries do
  if entries[place] then
    reply[#reply + 1] = string.format('%d', first + place - 1)
    reply[#reply + 1] = entries[place]
  end
end
return reply
