#!/bin/sh
# Prepares a new Postgres as docs/running.md says ("The role and the template"). The image of Postgres runs it once.
set -eu
psql --variable=ON_ERROR_STOP=1 --variable=password="$POSTGRES_PASSWORD" --username=postgres <<'SQL'
create role svc login createdb createrole password :'password';
create database svc owner svc;
grant set on parameter log_min_messages, log_parameter_max_length to svc;

create database svc_managed_template template template0;
\connect svc_managed_template
create extension vector;
\connect postgres
alter database svc_managed_template with is_template true allow_connections false;

revoke connect, temporary on database postgres, template1 from public;
SQL
