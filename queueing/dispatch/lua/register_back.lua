--[[ dispatch/register_back
Purpose: Registers an instance with the ID that it has, or with the offered one, which means that it has just started. A
  pending instance of the same name is stopped.
KEYS as dispatch/start
ARGV[1] offered        the id that it was offered
ARGV[2] id             the id that it has, or "" to take the offered one
ARGV[3] incarnation    its boot id, or ""
ARGV[4] name           stable, unique in the group
ARGV[5] version        of its software, 40 characters at most, or ""
ARGV[6] capacity       sessions at once, 1 to 1 000 000
ARGV[7] weight         1 to 32
ARGV[8] link           token of its socket
ARGV[9] process        token of the web process that holds the socket
ARGV[10] received      the last number that it has had from the dispatcher
Reply: [1, peer, arrival, received, sent, acked, process and link that were replaced, held, resync];
  arrival: new reconnect restart takeover; received: the last number that the dispatcher has
Errors: [-1, reason]: "no such group", "script outdated …", "malformed …", "taken" (its id or its name, by
  one that beats), "too many peers", "too many names"
Complexity: O(log n + frames that it has); O(weight × log n) for a new name
Version: 1
]]
local MOST_CAPACITY, MOST_WEIGHT = 1000000, 32
local WHOLE = '^[1-9]%d*$'
local refusal = group.open(KEYS[1])
if refusal then return refusal end
local offered, id, name_id, version = ARGV[1] or '', ARGV[2] or '', ARGV[4] or '', ARGV[5] or ''
local capacity, weight = ARGV[6] or '', ARGV[7] or ''
local claim = { incarnation = ARGV[3] or '', link = ARGV[8] or '', process = ARGV[9] or '', received = ARGV[10] or '' }
if id == '' then id = offered end
if not checks.is_id(offered) then return checks.refusal('malformed offered') end
if not checks.is_id(id) then return checks.refusal('malformed id') end
if not checks.is_id(name_id) then return checks.refusal('malformed name') end
if not is_text(version, checks.ID_BYTES) then return checks.refusal('malformed version') end
if not string.find(capacity, WHOLE) or capacity + 0 > MOST_CAPACITY then return checks.refusal('malformed capacity') end
if not string.find(weight, WHOLE) or weight + 0 > MOST_WEIGHT then return checks.refusal('malformed weight') end
local malformed = arriving.malformed(claim)
if malformed then return checks.refusal(malformed) end

-- Why it cannot be registered; nil = it can. rival: another instance that has its name.
local function refused(known, name, rival)
  if known and known.state == 'active' and known.incarnation ~= claim.incarnation then return 'taken' end
  if rival and rival.state == 'active' then return 'taken' end
  if not known and redis.call('HLEN', group.tag .. ':peers') >= checks.MOST_PEERS then return 'too many peers' end
  if not name and redis.call('HLEN', group.tag .. ':names') >= checks.MOST_NAMES then return 'too many names' end
end

local function arrival_of(known)
  if not known then return id == offered and 'new' or 'reconnect' end
  if known.state == 'active' then return 'takeover' end
  return arriving.is_other_life(known, claim) and 'restart' or 'reconnect'
end

local key = 'b:' .. id
local known, name = links.catch_up(peers.of(key)), names.of(name_id)
local rival = name and name.back ~= id and links.catch_up(names.instance(name)) or nil
local reason = refused(known, name, rival)
if reason then
  group.close()
  return checks.refusal(reason)
end
local arrival = arrival_of(known)
if rival then lives.stop(rival, 'restart', 'started anew under its name') end
if known and known.name ~= name_id then names.vacate(known.name, id) end
name = names.of(name_id) or names.new(name_id)
ring.place(name, weight)
name.back = id
names.write(name)
local peer = { key = key, id = id, is_front = false, profile = '', name = name_id, version = version,
  capacity = capacity, weight = weight, epoch = arriving.epoch_of(key), is_held = false }
return arriving.admit(known, peer, arrival, claim)
