--[[ dispatch/backup
Purpose: An operator makes a name a backup, or a primary again. A backup gets sessions only while no primary can. It
  keeps the sessions that it has.
KEYS as dispatch/start
ARGV[1] name           of the instance
ARGV[2] on             1 = a backup, or 0
ARGV[3] reason         200 characters at most
Reply: [1, ""] or [1, "repeat"]
Errors: [-1, reason]: "no such group", "script outdated …", "malformed …", "no such name"
Complexity: O(log n)
Version: 1
]]
local refusal = group.open(KEYS[1])
if refusal then return refusal end
local flag, reason = ARGV[2] or '', ARGV[3] or ''
local is_on = flag == '1'
if not is_flag(flag) then return checks.refusal('malformed on') end
if not checks.is_reason(reason) then return checks.refusal('malformed reason') end
local name = names.of(ARGV[1] or '')
if not name then return checks.refusal('no such name') end
if names.is_backup(name.name) == is_on then return { '1', 'repeat' } end

local back = names.instance(name)
if is_on then
  redis.call('HSET', group.tag .. ':backups', name.name, '1')
  group.log('backup', back and back.key, name.name, '', '', reason)
else
  redis.call('HDEL', group.tag .. ':backups', name.name)
  group.log('primary', back and back.key, name.name, '', '', reason)
end
if back then ready.settle(back) end
group.close()
return { '1', '' }
