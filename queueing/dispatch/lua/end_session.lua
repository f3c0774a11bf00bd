--[[ dispatch/end_session
Purpose: An operator ends a session. Both ends are told.
KEYS as dispatch/start
ARGV[1] session        front-end id / word
ARGV[2] reason         200 characters at most
Reply: [1, 1] or [1, 0]: there is no such session
Errors: [-1, reason]: "no such group", "script outdated …", "malformed reason", "peer full"
Complexity: O(log n)
Full server: runs
Version: 1
]]
local refusal = group.open(KEYS[1])
if refusal then return refusal end
local session, reason = ARGV[1] or '', ARGV[2] or ''
if not checks.is_reason(reason) then return checks.refusal('malformed reason') end
local route = routes.of(session)
if not route then return { '1', '0' } end
if not routes.finish(route, reason) then return checks.refusal('peer full') end

group.log('ended', 'f:' .. route.front, '', 'b:' .. route.back, '', reason, session)
group.count('ended')
group.close()
return { '1', '1' }
