-- Sets state to the name of number's state; '' without a number.
if number ~= '' then
  local now_b, now_u = match(call('HGET', NUMSTATE, number) or '', '^{"callstate":([01]),"regstate":([01])')
  state = not now_b and 'nodata' or (now_b == '1' and 'busy' or 'idle') .. (now_u == '1' and '+up' or '+down')
end
