-- Signing in: who is known by which identity provider, sessions, one-time codes, invitations, and vendor staff who
-- enter an organization. Every secret is kept as a keyed hash under its epoch, so that rotating a signing secret
-- kills all of them at once.
alter table auth.users add column first_signed_in_at timestamptz;

create table auth.identities (
  issuer text not null,
  subject text not null,
  user_id text not null references auth.users on delete cascade,
  created_at timestamptz not null,
  primary key (issuer, subject)
);
create index identities_by_user on auth.identities (user_id);

create table auth.sessions (
  id text primary key,
  hash bytea not null unique,
  epoch text not null,
  user_id text not null references auth.users on delete cascade,
  org_id text references auth.orgs on delete set null,
  created_at timestamptz not null,
  last_seen_at timestamptz not null,
  ended_at timestamptz
);
create index sessions_by_user on auth.sessions (user_id);

-- Between leaving for an identity provider and coming back; consumed by deleting.
create table auth.sign_in_flows (
  state_hash bytea primary key,
  browser_hash bytea not null,
  provider text not null,
  nonce text not null,
  code_verifier text not null,
  return_to text not null,
  -- A signed-in person who links a second provider.
  link_user_id text references auth.users on delete cascade,
  expires_at timestamptz not null
);

-- Handed to another address of ours in place of a token, and exchanged for one.
create table auth.sign_in_codes (
  hash bytea primary key,
  epoch text not null,
  user_id text not null references auth.users on delete cascade,
  state text not null,
  expires_at timestamptz not null
);

create table auth.invitations (
  id text primary key,
  org_id text not null references auth.orgs on delete cascade,
  email text not null,
  role text not null check (role in ('viewer', 'member', 'developer', 'admin', 'owner')),
  hash bytea not null unique,
  epoch text not null,
  invited_by text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  accepted_at timestamptz,
  revoked_at timestamptz
);
create index invitations_by_org on auth.invitations (org_id, id desc);

-- Who was removed or left never joins again by domain alone.
create table auth.departures (
  org_id text not null references auth.orgs on delete cascade,
  user_id text not null references auth.users on delete cascade,
  primary key (org_id, user_id)
);

create table auth.support_sessions (
  id text primary key,
  org_id text not null references auth.orgs on delete cascade,
  staff_email text not null,
  reason text not null,
  hash bytea not null unique,
  epoch text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  elevated_at timestamptz,
  ended_at timestamptz
);
create index support_sessions_by_org on auth.support_sessions (org_id, id desc);
