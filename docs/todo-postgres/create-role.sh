#!/bin/sh
# The role of the servers, which creates the tables. It is no superuser: row level security applies to it.
psql --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" --set ON_ERROR_STOP=1 --set password="$APP_PASSWORD" <<'SQL'
CREATE ROLE todo_app LOGIN PASSWORD :'password';
GRANT CREATE ON DATABASE todo TO todo_app;
SQL
