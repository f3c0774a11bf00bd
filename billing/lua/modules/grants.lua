-- Promotional credit: parts of the balance that are used first and expire. The hash's field `grants` has "promotion,µs
-- of expiry,left;" for each, the first to expire first. What is left of them is included in `bal`; the rest of `bal` is
-- the account's own money. A message's record and a change entry end in "|g7=300,g9=20": what the message has used of
-- each grant, and by how much the entry changed each.
-- Rarely needed.
local grants = {}

grants.MOST = 20
grants.LIST_BYTES = 1100
grants.ITEM = '(%d+),(%d+),(%d+);'
grants.PART = 'g(%d+)=(%d+)'

-- The list in a field's text, with numbers except for the ID, or nil if it is empty.
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

-- Whether this is a list in the form that `text` writes.
function grants.is_text(text)
  local rest, count = string.gsub(text, grants.ITEM, '')
  return rest == '' and count <= grants.MOST and #text <= grants.LIST_BYTES
end

-- The units that are left of all grants.
function grants.left()
  local sum = 0
  for _, grant in ipairs(wallet.grants or {}) do sum = sum + grant.left end
  return sum
end

-- A promotion's grant and its place in the list, or nil if it has expired, was revoked or never existed.
function grants.find(id)
  for place, grant in ipairs(wallet.grants or {}) do
    if grant.id == id then return grant, place end
  end
end

-- Adds a change of a grant to the next entry.
function grants.note(id, units)
  local before = wallet.effects == '' and '' or wallet.effects .. ','
  wallet.effects = before .. string.format('g%s=%d', id, units)
  wallet.has_new_grants = true
end

-- Uses this many units or fewer of the grants, the first to expire first. Returns the parts in the form that a record
-- stores.
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

-- Returns `back` of a message's quote. The charge is taken from its grants first, so the account's own money is
-- returned before theirs, and the grant used last gets its units back first. The message keeps what is charged to each
-- grant.
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

-- Returns units to a grant. If it no longer exists, they expire at once, in an entry after the current one.
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

-- Writes an entry for each grant of which units are left.
function grants.expire(list)
  for _, grant in ipairs(list) do
    if grant.left > 0 then
      wallet.balance = wallet.balance - grant.left
      grants.note(grant.id, -grant.left)
      wallet.append(string.format('expired\tpromotion:%s\t-%d\t0\t\t\t0\t\t\t\t\t0', grant.id, grant.left))
    end
  end
end

-- Ends grants that have expired, and writes this before the operation continues. A clock in doubt postpones it, as for
-- an unsent message. In safe mode, does nothing.
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
