-- What kamailio.cfg keeps on disk: sqlite3 /var/lib/kamailio/poolsite.sqlite < state.sql
-- The tables are those of Debian's kamailio-sqlite-modules.
PRAGMA journal_mode = WAL;
.read /usr/share/kamailio/db_sqlite/standard-create.sql
.read /usr/share/kamailio/db_sqlite/usrloc-create.sql
.read /usr/share/kamailio/db_sqlite/dialog-create.sql
.read /usr/share/kamailio/db_sqlite/auth_db-create.sql
