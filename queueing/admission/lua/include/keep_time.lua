-- The next command compares its clock with this one. Nothing else is written when nothing changed, so once a second.
if new_doubt ~= (doubt or '') then
  call('HSET', GATE, 'clock', at, 'doubt', new_doubt)
elseif math.abs(now - last) > 1000000 then
  call('HSET', GATE, 'clock', at)
end
