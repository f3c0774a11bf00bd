--[[ dispatch/forget_name
Purpose: Deletes a name without a registered instance, with its manual state and its points on the ring.
KEYS as dispatch/start
ARGV[1] name           of the instance
Reply: [1, ""] or [1, "repeat"]
Errors: [-1, reason]: "no such group", "script outdated …", "in use"
Complexity: O(weight × log n)
Full server: runs
Version: 1
]]
local refusal = group.open(KEYS[1])
if refusal then return refusal end
local name = names.of(ARGV[1] or '')
if not name then return { '1', 'repeat' } end
if name.back ~= '' then return checks.refusal('in use') end

ring.remove(name)
redis.call('HDEL', group.tag .. ':names', name.name)
if health.is_ejected(name.name) then group.count('ejected', -1) end
redis.call('HDEL', group.tag .. ':health', name.name)
redis.call('HDEL', group.tag .. ':backups', name.name)
group.log('forgotten', '', name.name)
group.close()
return { '1', '' }
