-- Subscriptions, follows, and the deliveries that follow from them. A notification is one event for one destination, at
-- most once by its unique key. A delivery is one message with one or more notifications. A destination is where
-- messages arrive; it says when it has something to send, so that a claim never looks at the backlog itself.
-- former release: runs
alter table notifications.events
  add column matched_at timestamptz,
  -- Whether the event still has to be matched to people, who may be known only to another service.
  add column people_pending boolean not null default false;
create index events_unmatched on notifications.events (id) where matched_at is null;
create index events_people_pending on notifications.events (id) where people_pending;

create table notifications.settings (
  org_id text primary key,
  timezone text not null
);

create table notifications.channels (
  id text primary key,
  org_id text not null,
  kind text not null check (kind in ('email', 'chat', 'webhook', 'forum')),
  -- What people see: an address, a channel's name, or the origin of a URL and its last four characters.
  label text not null,
  state text not null check (state in ('unconfirmed', 'active', 'disabled')),
  disabled_reason text,
  -- Sealed. A URL or a token.
  secret text,
  settings jsonb not null default '{}',
  failing_since timestamptz,
  failure_mailed_at timestamptz,
  created_at timestamptz not null
);
create index channels_by_org on notifications.channels (org_id, id);

create table notifications.subscriptions (
  id text primary key,
  org_id text not null,
  -- An organization's subscription carries no person; the other two are emails to one person.
  owner text not null check (owner in ('organization', 'reporter', 'support_access')),
  user_id text,
  pattern text not null,
  channel_id text references notifications.channels on delete cascade,
  timing text not null check (timing in ('immediately', 'hourly', 'daily')),
  enabled boolean not null default true,
  disabled_by text check (disabled_by in ('admin', 'unsubscribe', 'connection_lost', 'gone')),
  -- The token of the unsubscribe link: its SHA-256 to find the row, and sealed to write it into the next mail.
  unsubscribe_digest bytea not null unique,
  unsubscribe_token text not null,
  created_at timestamptz not null,
  check ((owner = 'organization') = (user_id is null)),
  check ((owner = 'organization') = (channel_id is not null)),
  check (enabled = (disabled_by is null)),
  unique (org_id, owner, user_id),
  unique (channel_id, pattern)
);
create index subscriptions_by_org on notifications.subscriptions (org_id, id);

create table notifications.follows (
  org_id text not null,
  user_id text not null,
  app_id text not null,
  categories text[] not null check (cardinality(categories) > 0),
  timing text not null check (timing in ('immediately', 'hourly', 'daily')),
  updated_at timestamptz not null,
  primary key (org_id, app_id, user_id)
);
create index follows_by_user on notifications.follows (user_id, org_id);

-- A default subscription is made once for ever: the row stays when the subscription is deleted.
create table notifications.default_seeds (
  org_id text not null,
  kind text not null,
  key text not null,
  seeded_at timestamptz not null,
  primary key (org_id, kind, key)
);

-- No email, profile or token of the chat account is kept.
create table notifications.chat_links (
  org_id text not null,
  user_id text not null,
  workspace_id text not null,
  chat_user_id text not null,
  display_name text not null,
  inactive_since timestamptz,
  linked_at timestamptz not null,
  primary key (org_id, user_id),
  unique (org_id, workspace_id, chat_user_id)
);

-- Mails that the embedded default keeps because no mail server is configured.
create table notifications.mailbox (
  delivery_id text primary key,
  org_id text not null,
  recipient text not null,
  subject text not null,
  body text not null,
  kept_at timestamptz not null
);

create table notifications.notifications (
  id text primary key,
  event_id text not null,
  org_id text not null,
  destination_key text not null,
  kind text not null,
  channel_id text,
  user_id text,
  subscription_id text,
  app_id text,
  -- Of a digest: whose it is, how often it is sent, and when next. Null when the notification is sent by itself.
  digest_key text,
  digest_timing text check (digest_timing in ('hourly', 'daily')),
  window_end timestamptz,
  delivery_id text,
  dropped_reason text,
  created_at timestamptz not null,
  unique (event_id, destination_key)
);
create index notifications_ready on notifications.notifications (destination_key, id)
  where delivery_id is null and dropped_reason is null and window_end is null;
create index notifications_in_digest on notifications.notifications (window_end, digest_key)
  where delivery_id is null and dropped_reason is null and window_end is not null;
create index notifications_by_delivery on notifications.notifications (delivery_id) where delivery_id is not null;
create index notifications_by_org on notifications.notifications (org_id, id desc);
create index notifications_by_age on notifications.notifications (created_at);

create sequence notifications.fence;

create table notifications.deliveries (
  id text primary key,
  org_id text not null,
  destination_key text not null,
  kind text not null,
  channel_id text,
  user_id text,
  digest_key text,
  window_end timestamptz,
  -- A resend carries the notifications of this delivery and is sent because an admin said so.
  resend_of text,
  resent_by text,
  -- Sealed. Text of a message that belongs to no event, such as an invitation.
  message text,
  state text not null check (state in ('pending', 'sending', 'sent', 'failed', 'unknown', 'dropped')),
  reason text,
  attempt int not null default 0,
  fence bigint,
  lease_until timestamptz,
  next_at timestamptz,
  created_at timestamptz not null,
  ended_at timestamptz,
  unique (digest_key, window_end)
);
create index deliveries_first on notifications.deliveries (destination_key, next_at)
  where state = 'pending' and attempt = 0;
create index deliveries_retried on notifications.deliveries (destination_key, next_at)
  where state = 'pending' and attempt > 0;
create index deliveries_leased on notifications.deliveries (lease_until) where state = 'sending';
create index deliveries_by_age on notifications.deliveries (created_at);

-- Written when an attempt begins, so that a crash leaves a trace.
create table notifications.attempts (
  delivery_id text not null references notifications.deliveries on delete cascade,
  attempt int not null,
  fence bigint not null,
  started_at timestamptz not null,
  ended_at timestamptz,
  outcome text,
  reason text,
  -- Of the receiver's answer, where there was one.
  status int,
  primary key (delivery_id, attempt)
);

create table notifications.destinations (
  key text primary key,
  org_id text not null,
  kind text not null,
  max_in_flight int not null,
  -- Notifications that fit into one message.
  max_per_message int not null,
  in_flight int not null default 0 check (in_flight >= 0),
  -- When the next first attempt and the next retry can begin. Null when there is none, and while all that may be in
  -- flight is.
  first_at timestamptz,
  retry_at timestamptz,
  failures int not null default 0,
  paused_until timestamptz
);
create index destinations_first on notifications.destinations (first_at, key) where first_at is not null;
create index destinations_retry on notifications.destinations (retry_at, key) where retry_at is not null;

-- Rows of these tables are changed and deleted all the time: vacuum by their number, not by their share.
alter table notifications.deliveries set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
alter table notifications.notifications set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
alter table notifications.destinations set
  (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500, fillfactor = 70);
