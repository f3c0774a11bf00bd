-- What is listed for the operators. Each flag is listed once for each thing reported, sixteen for a message at most, so
-- that a gateway that repeats itself does not fill the list. A message remembers "!<five letters>:<reported>".
local flags = {}

flags.MOST = 16
flags.START = '^.?.?.?.?.?' -- five letters tell them apart

-- reported: a mode, or failed interim cancel ?
function flags.list(message, flag, reported)
  local said = '!' .. string.match(flag, flags.START) .. ':' .. reported
  local _, count = string.gsub(message.listed, '!', '')
  if count >= flags.MOST or string.find(message.listed .. '!', said .. '!', 1, true) then return end
  local mode, paid = string.match(message.outcome, '^(.*)=(%d+)$')
  local difference = string.format('%d', flags.difference(message, flag, reported, paid or 0))
  messages.log('flag', message, '0', '0', '\t' .. (mode or '') .. '\t' .. (paid or '0') .. '\t' .. flag .. '\t'
    .. reported .. '\t' .. difference)
  message.listed = message.listed .. said
  messages.write(message)
end

-- Delivered less paid, as far as this report and the stored prices tell.
function flags.difference(message, flag, reported, paid)
  if flag == 'unreadable' then return 0 end
  return (tariff.price(message, reported) or 0) - paid
end
