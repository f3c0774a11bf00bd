--[[ dispatch/register_front
Purpose: Registers a front-end: new, reconnected, restarted, or with a new socket that replaces the old one.
KEYS as dispatch/start
ARGV[1] id             its own, or "" where its profile has none
ARGV[2] profile        SIP BICC SMP CMPP HTTP
ARGV[3] incarnation    its boot id, or ""
ARGV[4] link           token of its socket
ARGV[5] process        token of the web process that holds the socket
ARGV[6] received       the last number that it has had from the dispatcher
Reply: [1, peer, arrival, received, sent, acked, process and link that were replaced, held, resync];
  arrival: new reconnect restart takeover; received: the last number that the dispatcher has
Errors: [-1, reason]: "no such group", "script outdated …", "malformed …", "taken", "too many peers"
Complexity: O(log n + frames that it has + backs)
Version: 1
]]
local refusal = group.open(KEYS[1])
if refusal then return refusal end
local id, profile = ARGV[1] or '', profiles.OF[ARGV[2] or '']
local claim = { incarnation = ARGV[3] or '', link = ARGV[4] or '', process = ARGV[5] or '', received = ARGV[6] or '' }
if not profile then return checks.refusal('malformed profile') end
local malformed = arriving.malformed(claim)
if malformed then return checks.refusal(malformed) end
if profile.has_own_id and not checks.is_id(id) then return checks.refusal('malformed id') end
if not profile.has_own_id and id ~= '' then return checks.refusal('malformed id') end -- it is given one

-- An id that no front-end of the group has.
local function given_id()
  local given
  repeat
    given = string.format('c%x-%d', group.now, redis.call('HINCRBY', group.tag, 'offered', 1))
  until not peers.front(given)
  return given
end

-- new, reconnect, restart or takeover.
local function arrival_of(known)
  local is_always_new = profile.arrival == 'new'
  if not known then
    local returns = claim.received + 0 > 0 or group.conf.status == 'recovering'
    return returns and not is_always_new and 'reconnect' or 'new'
  end
  if known.state == 'active' then return is_always_new and 'new' or 'takeover' end
  if known.profile ~= ARGV[2] or arriving.is_other_life(known, claim) then return 'restart' end
  return is_always_new and 'new' or 'reconnect'
end

if not profile.has_own_id then id = given_id() end
local key = 'f:' .. id
local known = links.catch_up(peers.of(key))
local reason
if known and known.state == 'active' and (known.incarnation ~= claim.incarnation or known.profile ~= ARGV[2]) then
  reason = 'taken'
elseif not known and redis.call('HLEN', group.tag .. ':peers') >= checks.MOST_PEERS then
  reason = 'too many peers'
end
if reason then
  group.close()
  return checks.refusal(reason)
end
local is_held = profile.arrival == 'clear' and known ~= nil
local peer = { key = key, id = id, is_front = true, profile = ARGV[2], name = '', version = '', capacity = '',
  weight = '', epoch = arriving.epoch_of(key), is_held = is_held }
return arriving.admit(known, peer, arrival_of(known), claim)
