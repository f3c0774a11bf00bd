-- The ends of a session send messages to each other, and end it. For the sender and its frame, see inbound.lua.
local sessions = {}

-- The session's route, the end that is not the sender, and the reason if nothing can be sent there.
function sessions.reach(session)
  local sender = inbound.sender
  if sender.is_front and routes.front_of(session) ~= sender.id then return nil, nil, 'not yours' end
  local unknown = group.conf.status == 'recovering' and 'recovering' or 'no such session'
  local route = routes.of(session)
  if not route then return nil, nil, unknown end
  if not sender.is_front and route.back ~= sender.id then
    local was_its = routes.offered_to(route)[sender.id] -- it was told to free it, or will be
    return route, nil, was_its and 'no such session' or 'not yours'
  end
  local own, other = routes.ends_of(route)
  if not sender.is_front then own, other = other, own end
  if not own then return route, nil, unknown end
  if route.state == 'ending' then return route, nil, 'session ending' end
  if route.state == 'provisional' then return route, nil, 'recovering' end
  if not other then return route, nil, 'no such session' end -- it is void; its end is on the way
  return route, other, nil
end

-- Sends a message to the other end.
function sessions.message(session, body)
  local route, other, reason = sessions.reach(session)
  if not reason and routes.is_past(route) then
    if routes.finish(route, 'expired') then group.count('expired') end
    reason = 'no such session'
  end
  if not reason then reason = sessions.not_now(other) end
  if reason == 'peer pending' then -- perhaps noticed just now, so another instance may have it
    route, other, reason = sessions.reach(session)
    if not reason then reason = sessions.not_now(other) end
  end
  if reason then return inbound.refuse(reason, session) end
  inbound.accept()
  local count = inbound.sender.is_front and 'from_front' or 'from_back'
  route[count] = string.format('%d', route[count] + 1)
  routes.write(route)
  local is_answer = group.conf.failure_percent > 0 and not inbound.sender.is_front and route.from_back == '1'
  if is_answer and health.answer(session) then health.count(inbound.sender, false, true) end
  frames.push(other, 'message', session, '', '', body)
  group.count('messages')
  return inbound.routed(other)
end

-- Why nothing can be sent to a peer now, or nil.
function sessions.not_now(peer)
  if not group.is_deaf then links.catch_up(peer) end
  if peer.state ~= 'active' then return 'peer pending' end
  if frames.is_full(peer) then return 'peer full' end
end

-- An end ends the session. has_failed: it states that the instance could not serve the session.
function sessions.finish(session, why, body, has_failed)
  local sender = inbound.sender
  local route, other, reason = sessions.reach(session)
  if reason and reason ~= 'not yours' and sessions.is_known_to(sender, route) then
    -- Both ends ended it at once, or only the sender has it, or the other end is gone: there is no one to tell. But a
    -- back that was blocked since has the session until it is told.
    reason = nil
    if sender.is_front and route.state == 'live' then other = routes.holder(route) end
  end
  if other and (frames.has_all_ends(other) or not frames.has_room(other)) then reason = 'peer full' end
  if reason then return inbound.refuse(reason, session) end
  inbound.accept()
  group.count('ended')
  if route.state ~= 'ending' then
    if other and other.state == 'pending' then sessions.leave_to(other, route) else routes.remove(route) end
    if other then frames.push_end(other, session, why, body) end
    if route.state ~= 'provisional' then sessions.judge(route, has_failed) end
  end
  return inbound.routed(other)
end

-- Counts an ended session for its instance's health. One that its front-end ended before an answer came does not count.
function sessions.judge(route, has_failed)
  if group.conf.failure_percent == 0 then return end
  local back, is_first = peers.registered('b:' .. route.back), health.answer(route.session)
  if back and (has_failed or (is_first and not inbound.sender.is_front)) then
    health.count(back, has_failed, is_first)
  end
end

-- Whether the route began in the sender's current epoch.
function sessions.is_known_to(sender, route)
  if not route then return false end
  if sender.is_front then return route.front_epoch == sender.epoch end
  return route.back == sender.id and route.back_epoch == sender.epoch
end

-- The sender has ended the session. Its route stays only until the other end has been told, and takes no more messages.
function sessions.leave_to(other, route)
  routes.unload(route)
  local member = other.is_front and routes.of_back(route.back, route.session) or route.session
  redis.call('ZREM', group.tag .. ':index', member)
  route.state, route.side = 'ending', other.is_front and 'front' or 'back'
  routes.write(route)
end
