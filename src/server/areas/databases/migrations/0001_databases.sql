-- A managed database: Postgres with pgvector that belongs to an organization. The row comes first and says what is
-- being made, so that whatever a crash leaves behind can be finished or removed. Physical names are random, because
-- every tenant's role can see them.
create schema databases;

create table databases.databases (
  id text primary key,
  org_id text not null,
  name text not null,
  state text not null check (state in ('creating', 'ready', 'dropping', 'failed')),
  physical_name text not null unique,
  owner_role text not null unique,
  reader_role text not null unique,
  -- Sealed; the verifiers (SCRAM-SHA-256) are what the engine is told.
  owner_password text not null,
  reader_password text not null,
  owner_verifier text not null,
  reader_verifier text not null,
  created_by text not null,
  created_at timestamptz not null,
  unique (org_id, name)
);
create index databases_page on databases.databases (org_id, id desc);
create index databases_unfinished on databases.databases (id) where state in ('creating', 'dropping');
