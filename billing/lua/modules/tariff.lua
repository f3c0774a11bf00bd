-- The prices stored with a message: ",mode=price" for each mode of the quote, ";mode=price" for each other mode of the
-- same tariff. A mode without a price costs the quote. Units are text here, as they are stored.
local tariff = {}

-- sign: a comma or a semicolon. Returns nil if there is no such mode.
function tariff.find(message, sign, mode)
  local _, last = string.find(message.prices, sign .. mode .. '=', 1, true)
  return last and (string.match(message.prices, '^%d+', last + 1) or message.quoted)
end

-- The price of a mode in units, or nil if it has none, in the quote or outside it.
function tariff.price(message, mode)
  return tariff.find(message, ',', mode) or tariff.find(message, ';', mode)
end

-- The units to charge for a delivery, up to the quote. For a mode outside the quote, also the rest, which we lose.
function tariff.charge(message, mode)
  local price = tariff.find(message, ',', mode)
  if price then return tariff.at_most(message.quoted, price) end
  local full = tariff.find(message, ';', mode) or message.quoted
  price = tariff.at_most(message.quoted, full)
  return price, string.format('%d', full - price)
end

function tariff.at_most(quoted, price)
  return price + 0 > quoted + 0 and quoted or price
end
