-- A desk whose data is not to be believed yet (promoted, or its visits not loaded) knows nobody: SQL answers.
if status == 'r' and not call('HGET', DESK, 'opens_at') then
  return { 'gone', int(seq), '0', '-', '0', '0', '0', '0', 'recovering' }
end
