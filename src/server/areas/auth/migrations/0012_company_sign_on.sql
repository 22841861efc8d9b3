-- Sign-on that a company controls: its identity provider vouches for the agents of its people.
-- former release: runs

-- The provider that an owner trusts, and the scopes that agents get by it.
create table auth.company_sign_on (
  org_id text primary key references auth.orgs on delete cascade,
  issuer text not null,
  scopes text[] not null,
  updated_at timestamptz not null
);

-- Agents that may present assertions of that provider. Each is also a client without redirect URIs, so that it cannot
-- ask a person for consent and is_active blocks it as any other.
create table auth.company_clients (
  client_id text primary key references public.platform_oauth_clients on delete cascade,
  org_id text not null references auth.orgs on delete cascade,
  hash bytea not null,
  epoch text not null,
  created_at timestamptz not null
);
create index company_clients_by_org on auth.company_clients (org_id, client_id);

-- Digests of assertions that were exchanged. In the database, so that neither a restart nor a lost Redis forgets them.
create table auth.company_assertions (
  hash bytea primary key,
  expires_at timestamptz not null
);
create index company_assertions_by_expiry on auth.company_assertions (expires_at);

alter table public.platform_access_grants
  -- The issuer of the assertion that made this grant; null where the person approved it.
  add column vouched_by text,
  -- Who ended it, a user id. It stays ended, whatever the provider says, until that person or an admin allows it again.
  add column refused_by text;
