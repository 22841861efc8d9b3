-- Where a session was started, and when and from where an API token was last used, so that people recognise their own.
-- former release: runs
alter table auth.sessions add column signed_in_with text, add column signed_in_from text;
alter table auth.api_tokens add column last_used_at timestamptz, add column last_used_from text;
