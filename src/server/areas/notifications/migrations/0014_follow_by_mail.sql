-- A person can choose mail in place of a direct message for an app that they follow. The link of these mails ends that one
-- follow. It belongs to the person and the app and not to the row of the follow, so that links of older mails go on working
-- when the person stopped following the app and follows it again.
-- former release: runs, and sends direct messages only
alter table notifications.follows add column via text not null default 'chat' check (via in ('chat', 'mail'));

create table notifications.follow_links (
  org_id text not null,
  user_id text not null,
  app_id text not null,
  -- SHA-256 of the token.
  digest bytea not null unique,
  -- Sealed, because each mail contains it again.
  token text not null,
  primary key (org_id, user_id, app_id)
);
