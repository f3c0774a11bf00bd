--[[ dispatch/upgrade_flag
Purpose: An upgrade begins or ends its own drain of a name, independently of the state that an operator sets.
KEYS as dispatch/start
ARGV[1] name           of the instance
ARGV[2] on             1 or 0
ARGV[3] reason         200 characters at most
Reply: [1, manual state, 0, "" or "repeat"]
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
if name.is_upgrading == is_on then return { '1', names.LETTER[name.manual], '0', 'repeat' } end

name.is_upgrading = is_on
names.write(name)
local back = names.instance(name)
if back then ready.settle(back) end
group.log(is_on and 'upgrading' or 'upgraded', back and back.key, name.name, '', '', reason)
group.close()
return { '1', names.LETTER[name.manual], '0', '' }
