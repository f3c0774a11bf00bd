--[[ dispatch/heard
Purpose: Frames came over these links, so their peers stay active for another limit.
KEYS as dispatch/start
ARGV[1] process        token of the web process that holds them
ARGV[2+] links         triples: peer, link, how many µs ago its last frame came; 500 at most, none: the process
  only says that it listens
Reply: [1, then for each: last number of its outbox, 1 = the link is the peer's, 1 = its held frames may go]
Errors: [-1, reason]: "no such group", "script outdated …", "malformed …"
Complexity: O(links × log n)
Full server: runs
Version: 1
]]
local MOST, WORDS = 500, 3
local refusal = group.open(KEYS[1])
if refusal then return refusal end
if (#ARGV - 1) % WORDS ~= 0 or #ARGV > 1 + MOST * WORDS then return checks.refusal('malformed links') end
for place = 4, #ARGV, WORDS do
  if not is_digits(ARGV[place], checks.NUMBER_DIGITS) then return checks.refusal('malformed links') end
end

-- Its peer is active for another limit. Returns whether its held frames may go.
local function hear(peer, ago)
  local was_held = peer.is_held
  if was_held then
    peer.is_held = false
    peers.write(peer)
  end
  ago = math.min(ago, group.conf.silence_us / 2)
  if peer.state == 'pending' then links.revive(peer, ago) else links.beat(peer, ago) end
  return was_held
end

local reply = { '1' }
for place = 2, #ARGV, WORDS do
  local key, link, ago = ARGV[place], ARGV[place + 1], ARGV[place + 2] + 0
  local peer, sent, is_released = peers.registered(key), '0', false
  local is_its_link = peer and peer.link == link
  if is_its_link then
    is_released = hear(peer, ago)
    sent = redis.call('HGET', group.tag .. ':seqs', 'o' .. peer.key) or '0'
  end
  reply[#reply + 1] = sent
  reply[#reply + 1] = is_its_link and '1' or '0'
  reply[#reply + 1] = is_released and '1' or '0'
end
group.close()
return reply
