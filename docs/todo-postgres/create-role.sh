#!/bin/sh
# The role of the servers: neither superuser nor owner of the tables.
psql --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" --set ON_ERROR_STOP=1 --set password="$APP_PASSWORD" <<'SQL'
CREATE ROLE todo_app LOGIN PASSWORD :'password';
SQL
