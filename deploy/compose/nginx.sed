# Makes deploy/nginx/poolsite.conf fit the containers of compose.yaml (Dockerfile, target nginx).
# Web processes listen on Unix sockets of a volume, so a new container needs no new address.
s|127\.0\.0\.1:8101|unix:/run/poolsite/web-1.sock|
s|127\.0\.0\.1:8102|unix:/run/poolsite/web-2.sock|
# Poolsite itself refuses hosts that are not in POOLSITE_ALLOWED_HOSTS.
s|server_name console\.example\.com;|server_name _;|
s|/etc/letsencrypt/live/console\.example\.com|/etc/nginx/certificate|
s|/var/www/html|/var/www/acme|
# Docker's own networks have IPv4 alone unless told otherwise.
/listen \[::\]:/d
