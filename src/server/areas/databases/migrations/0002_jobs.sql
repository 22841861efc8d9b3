-- When the worker tries again to finish a database, and when it last gave it today's limits. Times are the database's.
-- former release: runs, it reads neither column
alter table databases.databases add column retry_at timestamptz, add column secured_at timestamptz;
create index databases_by_secured_at on databases.databases (secured_at nulls first) where state = 'ready';
