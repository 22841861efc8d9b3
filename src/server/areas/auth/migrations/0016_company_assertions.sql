-- Databases of 0.3.0 lack this table, because it was added to 0012 after that release had applied the file.
-- former release: runs
create table if not exists auth.company_assertions (
  hash bytea primary key,
  expires_at timestamptz not null
);
create index if not exists company_assertions_by_expiry on auth.company_assertions (expires_at);
