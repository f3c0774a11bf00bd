-- A number in its canonical form that is stored in another spelling: from here on the stored one. In: alias, what the
-- tag's hash has of it (false = nothing, as a rule), mine. An alias of a number that is gone, its call too, counts for
-- nothing. Out: number, known.
if alias and (call('HEXISTS', NUMSTATE, alias) == 1 or call('HEXISTS', POOL, 't:' .. alias) == 1) then
  number = alias
  if sub(mine, 1, 2) == 'r:' then known = call('HGET', POOL, 'r:' .. number) end
end
