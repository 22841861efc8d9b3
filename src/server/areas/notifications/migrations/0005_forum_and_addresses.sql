-- Forum topics whose outcome is unknown are looked up in the forum. Addresses that are no member's are mailed only after
-- the person behind one confirmed it; what a person unsubscribed from is kept by address (in lower case) and not by
-- subscription, so that deleting and adding a subscription or a channel does not undo it.
-- former release: runs
create index deliveries_unsettled on notifications.deliveries (ended_at) where kind = 'forum' and state = 'unknown';

create table notifications.email_confirmations (
  channel_id text primary key references notifications.channels on delete cascade,
  -- SHA-256 of the token in the link.
  digest bytea not null unique,
  expires_at timestamptz not null
);

-- One row for each confirmation mail of the last day, to limit them for an address across organizations.
create table notifications.confirmation_mails (
  address text not null,
  mailed_at timestamptz not null
);
create index confirmation_mails_by_address on notifications.confirmation_mails (address, mailed_at);
create index confirmation_mails_by_age on notifications.confirmation_mails (mailed_at);

create table notifications.unsubscribed_addresses (
  org_id text not null,
  address text not null,
  pattern text not null,
  unsubscribed_at timestamptz not null,
  primary key (org_id, address, pattern)
);

-- Links in mails of subscriptions that were deleted since: they must go on working.
create table notifications.former_unsubscribe_links (
  digest bytea primary key,
  org_id text not null,
  address text not null,
  pattern text not null
);
