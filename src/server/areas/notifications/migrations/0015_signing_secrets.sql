-- Secrets with which a webhook signs in the form of Standard Webhooks, beside the signature that is made from its URL. A
-- replaced secret goes on signing beside the newer ones until it ends, so that receivers can change theirs in between.
-- former release: runs, and sends without the headers of Standard Webhooks
create table notifications.signing_secrets (
  id text primary key,
  channel_id text not null references notifications.channels on delete cascade,
  -- Sealed.
  secret text not null,
  created_at timestamptz not null,
  -- Null in the current one.
  ends_at timestamptz
);
create index signing_secrets_by_channel on notifications.signing_secrets (channel_id);
create unique index signing_secrets_current on notifications.signing_secrets (channel_id) where ends_at is null;
create index signing_secrets_ending on notifications.signing_secrets (ends_at) where ends_at is not null;
