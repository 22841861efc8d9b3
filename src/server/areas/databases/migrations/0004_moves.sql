-- A database that is moved to another server has a row here from before its first copy until its old copy is dropped,
-- so that a crash at any point leaves neither its owner locked out nor a copy that nobody knows of.
-- former release: runs, it does not move databases; one that it drops leaves an old copy behind
create table databases.moves (
  database_id text primary key references databases.databases (id) on delete cascade,
  from_server text not null,
  to_server text not null,
  -- copying: the database answers on from_server and its owner is kept out. switched: it answers on to_server and its
  -- owner is still kept out. kept: all is done, and the old copy is still on from_server.
  phase text not null check (phase in ('copying', 'switched', 'kept')),
  -- Most connections of the owner's role, to be given back to it.
  owner_connections integer not null,
  started_at timestamptz not null,
  switched_at timestamptz
);
