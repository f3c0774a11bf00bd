--[[ dispatch/configure
Purpose: Writes new settings, which apply at once. Sessions are not affected.
KEYS as dispatch/start
ARGV[1] columns        the settings as conf from column 2
ARGV[2] script_sha     SHA-1 of dispatch/start
Reply: [1, ""] or [1, "repeat"]
Errors: [-1, reason]: "no such group", "script outdated …", "malformed settings"
Complexity: O(names × log n)
Version: 1
]]
local refusal = group.open(KEYS[1])
if refusal then return refusal end
local columns, sha = ARGV[1] or '', ARGV[2] or ''
if not settings.are_columns(columns) then return checks.refusal('malformed settings') end

redis.call('HSET', group.tag, 'script_sha', sha, 'script_version', VERSION)
local text = settings.LETTER[group.conf.status] .. columns
if text == group.conf.text then return { '1', 'repeat' } end
group.set_conf(text)
group.set('log_limit', string.format('%d', group.conf.log_limit))
group.listen()
redis.call('DEL', group.tag .. ':ready') -- its scores are those of the way of sharing
for _, name in ipairs(names.all()) do
  local back = names.instance(name)
  if back then ready.settle(back) end
end
if group.conf.failure_percent == 0 then
  redis.call('DEL', group.tag .. ':answers')
  for _, its in ipairs(health.all()) do
    if its.ejected_at ~= '' then health.restore(its, 'ejection is off') end
  end
end
group.log('configured')
tell_timers(group.tag)
group.close()
return { '1', '' }
