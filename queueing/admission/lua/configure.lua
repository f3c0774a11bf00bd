--[[ admission/configure
Purpose: Writes new settings, which apply at once. Current permits are not affected.
KEYS as admission/show
ARGV[1] columns          the settings as conf from column 2
ARGV[2] adapt            the adaptive cap's settings
ARGV[3] script_sha       SHA-1 of admission/acquire
ARGV[4] keep_cap         1 = an adaptive cap stays where it is, within its new bounds
Reply: [1, "", "", ""]; reason "repeat" = they were so already
Errors: -1 "no such gate", "script outdated …", "malformed columns"
Complexity: O(1)
Version: 1
]]
local columns, adapt, sha, keeps_cap = ARGV[1] or '', ARGV[2] or '', ARGV[3] or '', ARGV[4] == '1'
if not settings.are_columns(columns) then return checks.refusal('malformed columns') end
local rules = settings.adaptation(adapt)
if not rules then return checks.refusal('malformed adapt') end
local refusal = gate.open(KEYS[1])
if refusal then return refusal end

local before = gate.conf
local text = settings.LETTER[before.status] .. columns
local after = settings.read(text)
if keeps_cap and before.adaptive and after.adaptive then
  text = settings.with_cap(text, math.max(rules.least, math.min(rules.most, before.cap)), true)
  after = settings.read(text)
end
gate.set_number('log_limit', after.log_limit)
gate.set('script_sha', sha)
gate.set_number('script_version', VERSION)
if text == before.text and gate.field('adapt') == adapt then
  gate.close()
  return { '1', '', '', 'repeat' }
end
if after.permit_us < before.permit_us then -- permits of the old length may live for so long
  gate.set_number('longest', math.max(before.permit_us, (gate.field('longest') or 0) + 0))
end
if before.fair and not after.fair then
  redis.call('UNLINK', gate.tag .. ':line', gate.tag .. ':seen', gate.tag .. ':heavy')
  gate.set('line', '0')
end
gate.set_conf(text)
gate.set('adapt', adapt)
if before.cap == after.cap then
  gate.log_of('configured')
else
  gate.log_of('resized', '', 'settings', string.format('%d %d', before.cap, after.cap))
end
gate.close()
tell_timers(gate.tag)
return { '1', '', '', '' }
