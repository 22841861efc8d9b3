-- Links that sign a person in by mail, where no identity provider is configured. Kept as a keyed hash under its epoch,
-- so that rotating a signing secret kills all of them; consumed by deleting. A row is written for every address that is
-- asked for, also for one that gets no mail, so that the time of the answer does not tell accounts apart.
-- former release: runs
create table auth.mailed_links (
  hash bytea primary key,
  epoch text not null,
  browser_hash bytea not null,
  email text not null,
  return_to text not null,
  expires_at timestamptz not null
);
create index mailed_links_by_expiry on auth.mailed_links (expires_at);

-- When the person first signed in by such a link. It opens invitations to this address but no domains, unlike
-- first_signed_in_at.
alter table auth.users add column email_confirmed_at timestamptz;
