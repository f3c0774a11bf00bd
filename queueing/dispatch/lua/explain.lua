--[[ dispatch/explain
Purpose: Reads why a session has its instance, the state of its ends, and what blocking its instance now would do.
KEYS as dispatch/start
ARGV[1] session        front-end id / word
Reply: [1, now, then, if there is such a session: twelve words as dispatch/route has them, states of front
  and back, manual state, upgrade flag, sessions that would end, the back and its name that new ones would
  get, or the reason, µs until which it is ejected or "", 1 = it is a backup]
Errors: [-1, reason]: "no such group", "script outdated …"
Complexity: O(log n)
Version: 1
]]
local refusal = group.open(KEYS[1])
if refusal then return refusal end

local reply, route = { '1', group.at }, routes.of(ARGV[1] or '')
if not route then return reply end
telling.add(reply, route)
local function tell(word) reply[#reply + 1] = word end
local front, back = peers.front(route.front), peers.back(route.back)
local name = back and names.of(back.name) or names.new('')
local id, reason = choosing.choose(route.session, { [route.back] = true })
tell(front and peers.LETTER[front.state] or '')
tell(back and peers.LETTER[back.state] or '')
tell(names.LETTER[name.manual])
tell(name.is_upgrading and '1' or '0')
tell(back and string.format('%d', peers.sessions(back)) or '0')
tell(id or '')
tell(id and peers.back(id).name or '')
tell(reason or '')
local its = health.of(name.name)
tell(its.ejected_at ~= '' and its.ends_at or '')
tell(names.is_backup(name.name) and '1' or '0')
return reply
