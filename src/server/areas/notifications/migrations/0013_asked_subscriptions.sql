-- A subscription to what the person behind an address unsubscribed from waits until they confirm it. Until then it is kept
-- as one that they unsubscribed from, so that a former release neither sends for it nor lets an admin enable it. The mail
-- that asks them has a link by which they refuse all further ones of the organization.
-- former release: runs
alter table notifications.subscriptions add column awaits_recipient boolean not null default false;

-- Organizations that may not ask an address (in lower case) again.
create table notifications.refused_organizations (
  org_id text not null,
  address text not null,
  refused_at timestamptz not null,
  primary key (org_id, address)
);

-- SHA-256 of the token of such a link.
create table notifications.refusal_links (
  digest bytea primary key,
  org_id text not null,
  address text not null,
  created_at timestamptz not null
);
create index refusal_links_by_age on notifications.refusal_links (created_at);
