-- The app that an organization installed in its chat workspace, and the redirects to the chat service that are under
-- way: an installation by an admin, or a person linking their account.
-- former release: runs
create table notifications.chat_installations (
  org_id text primary key,
  workspace_id text not null,
  workspace_name text not null,
  -- Sealed. Sends direct messages.
  bot_token text not null,
  -- Set when the chat service refused the token. Installing again clears it.
  broken_since timestamptz,
  installed_at timestamptz not null
);

create table notifications.chat_flows (
  -- SHA-256 of the state parameter, which only the browser that began knows.
  state_digest bytea primary key,
  purpose text not null check (purpose in ('install', 'link')),
  org_id text not null,
  user_id text not null,
  -- SHA-256 of the state and the session cookie. Null when the flow was begun with an API token.
  session_digest bytea,
  nonce text not null,
  expires_at timestamptz not null
);
create index chat_flows_by_expiry on notifications.chat_flows (expires_at);
