-- People, organizations and the tokens they act with. A token is kept as a keyed hash under the current pair of
-- signing secrets (its epoch), and dies with the membership it was made under.
create schema auth;

create table auth.users (
  id text primary key,
  email text not null unique,
  name text,
  created_at timestamptz not null
);

create table auth.orgs (
  id text primary key,
  name text not null,
  slug text not null unique,
  created_at timestamptz not null
);

create table auth.org_domains (
  domain text primary key,
  org_id text not null references auth.orgs on delete cascade
);
create index org_domains_by_org on auth.org_domains (org_id);

create table auth.memberships (
  org_id text not null references auth.orgs on delete cascade,
  user_id text not null references auth.users on delete cascade,
  role text not null check (role in ('viewer', 'member', 'developer', 'admin', 'owner')),
  created_at timestamptz not null,
  primary key (org_id, user_id)
);
create index memberships_by_user on auth.memberships (user_id);

create table auth.api_tokens (
  id text primary key,
  org_id text not null,
  user_id text not null,
  name text not null,
  hash bytea not null unique,
  epoch text not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  foreign key (org_id, user_id) references auth.memberships on delete cascade
);
create index api_tokens_by_member on auth.api_tokens (org_id, user_id);
