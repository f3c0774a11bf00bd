"""The live topics of the waiting line. Importing this package registers them."""

from poolsite import live
from queueing.line.topics.agent import AgentTopic
from queueing.line.topics.desk import DeskListTopic, DeskTopic, FloorTopic
from queueing.line.topics.queue import QueueTopic, WaitingTopic
from queueing.line.topics.visit import RoomTopic, TalkTopic, VisitTopic

for topic in (
    *(AgentTopic, DeskListTopic, DeskTopic, FloorTopic, QueueTopic),
    *(RoomTopic, TalkTopic, VisitTopic, WaitingTopic),
):
    live.register(topic)
