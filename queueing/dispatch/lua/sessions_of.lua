--[[ dispatch/sessions_of
Purpose: Reads the routes of a peer in the order of their IDs, one page at a time.
KEYS as dispatch/start
ARGV[1] peer           f:<id> or b:<id>
ARGV[2] after          the session after which the page begins, or ""
ARGV[3] count          how many at most, 1 to 1 000
Reply: [1, now, after what the next page begins or "", then twelve words for each as dispatch/route has them]
Errors: [-1, reason]: "no such group", "script outdated …", "malformed …"
Complexity: O(count × log n)
Version: 1
]]
local MOST = 1000
local refusal = group.open(KEYS[1])
if refusal then return refusal end
local key, after, count = ARGV[1] or '', ARGV[2] or '', whole(ARGV[3], 1, MOST)
if not checks.is_peer(key) then return checks.refusal('malformed peer') end
if not count then return checks.refusal('malformed count') end

local kind, id = string.match(key, peers.KEY)
local is_front = kind == 'f'
local low, high = routes.range(is_front, id)
if after ~= '' then low = '(' .. (is_front and after or routes.of_back(id, after)) end
local members = redis.call('ZRANGEBYLEX', group.tag .. ':index', low, high, 'LIMIT', 0, count)
local last = members[#members]
if last and not is_front then last = routes.session_of(last) end
local reply = { '1', group.at, #members == count and last or '' }
for place = 1, #members do
  local route = routes.of(is_front and members[place] or routes.session_of(members[place]))
  if route then telling.add(reply, route) end
end
return reply
