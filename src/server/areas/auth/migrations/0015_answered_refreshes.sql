-- Whether the answer of the request that used a refresh token up left the process. A process that is killed in between
-- leaves false: its client never got the successor, and may ask for it however late it comes back.
-- former release: runs, its refreshes count as answered
alter table auth.oauth_artifacts add column is_answered boolean not null default true;
