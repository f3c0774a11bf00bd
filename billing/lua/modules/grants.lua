-- Promotional credit: parts of the balance that are used first and expire. The hash's field `grants` has
-- "promotion,µs of expiry,left;" for each, the first to expire first. What is left of them is in `bal`; the rest of
-- `bal` is the account's own. A message's record and a change entry end in "|g7=300,g9=20": what the message has taken
-- of each, and by how much the entry moved what is left of each.
-- Rarely needed.
local grants = {}

grants.MOST = 20
grants.LIST_BYTES = 1100
grants.ITEM = '(%d+),(%d+),(%d+);'
grants.PART = 'g(%d+)=(%d+)'

-- The list of a field's text, with numbers but for the id; nil without one.
function grants.read(text)
  local list = {}
  for id, expires, left in string.gmatch(text, grants.ITEM) do
    list[#list + 1] = { id = id, expires = expires + 0, left = left + 0 }
  end
  return list[1] and list or nil
end

function grants.text()
  local parts = {}
  for place, grant in ipairs(wallet.grants or {}) do
    parts[place] = string.format('%s,%d,%d;', grant.id, grant.expires, grant.left)
  end
  return table.concat(parts)
end

-- Whether this is a list as `text` writes it.
function grants.is_text(text)
  local rest, count = string.gsub(text, grants.ITEM, '')
  return rest == '' and count <= grants.MOST and #text <= grants.LIST_BYTES
end

-- Units that are left of all of them.
function grants.left()
  local sum = 0
  for _, grant in ipairs(wallet.grants or {}) do sum = sum + grant.left end
  return sum
end

-- A promotion's grant and its place; nil = it has expired, was revoked, or never was.
function grants.find(id)
  for place, grant in ipairs(wallet.grants or {}) do
    if grant.id == id then return grant, place end
  end
end

-- The next entry tells that so many units moved.
function grants.note(id, units)
  local before = wallet.effects == '' and '' or wallet.effects .. ','
  wallet.effects = before .. string.format('g%s=%d', id, units)
  wallet.has_new_grants = true
end

-- Takes up to so many units, of the first to expire first. Returns what was taken of which, as a record keeps it.
function grants.take(amount)
  local parts = {}
  for _, grant in ipairs(wallet.grants) do
    local taken = math.min(grant.left, amount)
    if taken > 0 then
      grant.left, amount = grant.left - taken, amount - taken
      grants.note(grant.id, -taken)
      parts[#parts + 1] = string.format('g%s=%d', grant.id, taken)
    end
  end
  return table.concat(parts, ',')
end

-- `back` of a message's quote comes back: what was charged is charged to its grants first, so own money returns before
-- theirs, and theirs to the one used last first. The message keeps what it was charged of which.
function grants.give_back(message, back)
  local parts, used = {}, 0
  for id, units in string.gmatch(message.grants, grants.PART) do
    parts[#parts + 1] = { id = id, units = units + 0 }
    used = used + units
  end
  local rest, kept = used - math.min(used, message.quoted - back), {}
  for place = #parts, 1, -1 do
    local part = parts[place]
    local units = math.min(part.units, rest)
    rest = rest - units
    if units > 0 then grants.put_back(part.id, units) end
    if part.units > units then table.insert(kept, 1, string.format('g%s=%d', part.id, part.units - units)) end
  end
  message.grants = table.concat(kept, ',')
end

-- What returns to a grant that is no more expires at once, behind the entry that returned it.
function grants.put_back(id, units)
  local grant = grants.find(id)
  grants.note(id, units)
  if grant then
    grant.left = grant.left + units
  else
    wallet.late = wallet.late or {}
    table.insert(wallet.late, { id = id, left = units })
  end
end

function grants.expire_late()
  local late = wallet.late
  wallet.late = nil
  grants.expire(late)
end

-- An entry for each of which something is left.
function grants.expire(list)
  for _, grant in ipairs(list) do
    if grant.left > 0 then
      wallet.balance = wallet.balance - grant.left
      grants.note(grant.id, -grant.left)
      wallet.append(string.format('expired\tpromotion:%s\t-%d\t0\t\t\t0\t\t\t\t\t0', grant.id, grant.left))
    end
  end
end

-- Ends those that are past their time, and writes that down before the call goes on. A clock in doubt waits as it does
-- for an unsent message. Nothing in safe mode.
function grants.expire_due()
  local until_us = wallet.now - wallet.lags.message
  if wallet.conf.status == 'recovering' or wallet.grants[1].expires >= until_us then return end
  local lapsed, kept = {}, {}
  for _, grant in ipairs(wallet.grants) do
    local list = grant.expires < until_us and lapsed or kept
    list[#list + 1] = grant
  end
  wallet.grants, wallet.has_new_grants = kept[1] and kept or nil, true
  grants.expire(lapsed)
  wallet.close()
end
