-- Managed databases can be spread over several Postgres servers. Each belongs to one of them, by its name in
-- SVC_DATABASE_SERVERS; those made before belong to the server of DATABASE_URL, which is always named platform.
-- former release: runs, it finds every database on the server of DATABASE_URL until SVC_DATABASE_SERVERS is set
alter table databases.databases add column server text not null default 'platform';
create index databases_by_server on databases.databases (server);
