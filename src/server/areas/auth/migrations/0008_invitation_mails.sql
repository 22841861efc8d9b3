-- How many mails about an invitation were queued within a day of the last one, so that nobody can be sent many.
-- former release: runs
alter table auth.invitations
  add column mails int not null default 0,
  add column mailed_at timestamptz;
