-- Skills: texts "name:level,…" in the order of names. A desk numbers the sets that its visitors need and the sets that
-- its agents have, up to 99 of each: "need:<skills>" → number, "need<number>" → skills, and "profile" likewise.
local skills = {}

skills.MOST = 99
skills.WRITTEN = '^[a-z0-9-]+:[1-9][a-z0-9:,-]*$'
skills.ONE = '([a-z0-9-]+):(%d)'

function skills.are_malformed(text)
  return text ~= '' and not string.find(text, skills.WRITTEN)
end

-- The number of a set of needed skills. A new set gets a number. Returns nil if there are 99 others.
function skills.number_of_need(text)
  if text == '' then return '0' end
  local need = desk.field('need:' .. text)
  if not need and desk.needs < skills.MOST then
    desk.needs = desk.needs + 1
    need = int(desk.needs)
    redis.call('HSET', desk.tag, 'needs', need, 'need:' .. text, need, 'need' .. need, text)
  end
  return need or nil
end

-- The number of a set that an agent has, as two digits.
function skills.number_of_profile(text)
  if text == '' then return '00' end
  local profile = desk.field('profile:' .. text)
  if not profile and desk.profiles < skills.MOST then
    desk.profiles = desk.profiles + 1
    profile = string.format('%02d', desk.profiles)
    redis.call('HSET', desk.tag, 'profiles', int(desk.profiles), 'profile:' .. text, profile,
      'profile' .. int(desk.profiles), text)
  end
  return profile or nil
end

-- The set in this field, read once in an operation.
function skills.text_of(field)
  desk.skills = desk.skills or {}
  local text = desk.skills[field]
  if text == nil then
    text = desk.field(field) or ''
    desk.skills[field] = text
  end
  return text
end

-- Whether a profile meets a need, both by number. The levels that a visitor needs fall by one for each `relax_us` of
-- waiting, down to none.
function skills.suffice(need, profile, waited_us, relax_us)
  return not skills.lacking(need, profile, waited_us, relax_us)
end

-- The first skill that a profile lacks, with the profile's level ('0' = none) and the level needed now, or nil if it
-- lacks none.
function skills.lacking(need, profile, waited_us, relax_us)
  if need == 0 then return nil end
  local has = ',' .. skills.text_of('profile' .. profile)
  local steps = relax_us > 0 and math.max(0, math.floor(waited_us / relax_us)) or 0
  for name, level in string.gmatch(skills.text_of('need' .. need), skills.ONE) do
    local wanted = level - steps
    if wanted > 0 then
      local own = string.match(has, ',' .. string.gsub(name, '%-', '%%-') .. ':(%d)')
      if not own or own + 0 < wanted then return name, own or '0', int(wanted) end
    end
  end
end
