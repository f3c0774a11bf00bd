"""The sockets of a group's peers in this web process. They use the services and the dispatcher."""
