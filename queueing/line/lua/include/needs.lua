-- The number of a set of needed skills, a new one when the desk has none for it; nil at 99 others.
local function need_of(skills)
  if skills == '' then return '0' end
  local need = call('HGET', DESK, 'need:' .. skills)
  if not need and needs < 99 then
    needs = needs + 1
    need = int(needs)
    call('HSET', DESK, 'needs', need, 'need:' .. skills, need, 'need' .. need, skills)
  end
  return need or nil
end
