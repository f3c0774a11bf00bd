"""The sockets of a group's peers in this web process. A face: it knows services and the door."""
