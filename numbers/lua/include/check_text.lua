-- Texts with anything but plain ASCII: no control characters, only whole UTF-8; makes JSON forms.
for i = 3, words do
  local text = argv[i]
  if find(text, '%c') then problem = problem or 'text: control character' end
  local left = string.gsub(text, '[%z\1-\127]', '')
  left = string.gsub(left, '[\194-\223][\128-\191]', '')
  left = string.gsub(left, '\224[\160-\191][\128-\191]', '')
  left = string.gsub(left, '\237[\128-\159][\128-\191]', '')
  left = string.gsub(left, '[\225-\236\238\239][\128-\191][\128-\191]', '')
  left = string.gsub(left, '\240[\144-\191][\128-\191][\128-\191]', '')
  left = string.gsub(left, '[\241-\243][\128-\191][\128-\191][\128-\191]', '')
  left = string.gsub(left, '\244[\128-\143][\128-\191][\128-\191]', '')
  if left ~= '' then problem = problem or 'text: not UTF-8' end
end
local quoted = { ['"'] = '\\u0022', ['\\'] = '\\u005c' }
id_json = string.gsub(id, '["\\]', quoted)
switch_json = string.gsub(switch, '["\\]', quoted)
incarnation_json = string.gsub(incarnation, '["\\]', quoted)
agent_json = string.gsub(agent, '["\\]', quoted)
callee_json = string.gsub(callee, '["\\]', quoted)
contact_json = string.gsub(contact, '["\\]', quoted)
