-- Agents that connect through OAuth. The first two tables are the operator's too: their names and columns are
-- documented, they stand in the default schema, and plain SQL on them takes effect at the next call.

-- A row inserted by hand is a client that never expires. A row for the address of a metadata document, with is_active
-- false, blocks that client.
create table public.platform_oauth_clients (
  client_id text primary key,
  client_name text not null default '',
  client_uri text,
  redirect_uris text[] not null default '{}',
  is_active boolean not null default true,
  -- Who registered itself, and from where; null for the operator's own.
  registered_from text,
  origin text,
  created_at timestamptz not null default now(),
  expires_at timestamptz
);
create index platform_oauth_clients_by_origin on public.platform_oauth_clients (origin) where origin is not null;

-- What a person allowed an agent. Removing a row, or setting revoked_at, stops the agent at its next call.
create table public.platform_access_grants (
  id text primary key,
  org_id text not null,
  user_id text not null,
  client_id text not null,
  client_name text not null,
  redirect_host text not null,
  resource text not null,
  scopes text[] not null,
  epoch text not null,
  -- Of a metadata document, as it was approved: all of it, and the part that says who the client is.
  document jsonb,
  document_digest text,
  identity_digest text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  last_used_at timestamptz,
  revoked_at timestamptz,
  foreign key (org_id, user_id) references auth.memberships on delete cascade
);
create index platform_access_grants_by_member on public.platform_access_grants (org_id, user_id, id desc);
create index platform_access_grants_by_client on public.platform_access_grants (client_id, id desc);

-- Codes, refresh tokens and unfinished authorizations. Kept by a keyed hash, so that rotating a signing secret makes
-- all of them unfindable.
create table auth.oauth_artifacts (
  kind text not null check (kind in ('AuthorizationCode', 'RefreshToken', 'Interaction')),
  hash bytea not null,
  grant_id text references public.platform_access_grants on delete cascade,
  payload jsonb not null,
  expires_at timestamptz not null,
  consumed_at timestamptz,
  primary key (kind, hash)
);
create index oauth_artifacts_by_grant on auth.oauth_artifacts (grant_id);
create index oauth_artifacts_by_expiry on auth.oauth_artifacts (expires_at);
