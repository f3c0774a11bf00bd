-- The event as one JSON object with the options' names. Sets argv, or problem.
local good, object = pcall(cjson.decode, event)
argv = { '', '-' }
if not good or type(object) ~= 'table' or words ~= 1 then
  problem = 'JSON'
else
  for name, value in pairs(object) do
    if type(value) == 'boolean' then value = value and '1' or '0'
    elseif type(value) == 'number' then
      if value % 1 ~= 0 or value < 0 or value > 9007199254740992 then problem = 'number in JSON'
      else value = fmt('%.0f', value) end
    end
    if value == cjson.null then value = nil
    elseif type(value) ~= 'string' or type(name) ~= 'string' then problem = 'JSON value'
    elseif name == 'event' then argv[1] = value
    elseif name == 'number' then argv[2] = value == '' and '-' or value
    else
      argv[#argv + 1] = name
      argv[#argv + 1] = value
    end
  end
end
