-- A move changes the address in a database's connection string, so a person has to be told. The row is written with the
-- switch and removed when the mails are queued: neither a crash nor a drop of the old copy loses it.
-- former release: runs, it tells nobody; the rows wait
create table databases.move_notices (
  database_id text primary key references databases.databases (id) on delete cascade,
  switched_at timestamptz not null
);
