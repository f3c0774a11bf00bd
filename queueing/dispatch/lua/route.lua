--[[ dispatch/route
Purpose: Reads the route of a session.
KEYS as dispatch/start
ARGV[1] session        front-end id / word
Reply: [1, now, then, if there is such a session: session, back, its name, live, started, deadline, goes
  at, flags, messages from the front and from the back, why, instances that did not accept it]
Errors: [-1, reason]: "no such group", "script outdated …"
Complexity: O(log n)
Version: 1
]]
local refusal = group.open(KEYS[1])
if refusal then return refusal end

local reply, route = { '1', group.at }, routes.of(ARGV[1] or '')
if route then telling.add(reply, route) end
return reply
