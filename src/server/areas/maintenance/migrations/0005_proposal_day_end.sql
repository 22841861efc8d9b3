-- When the day of a proposal ends in the timezone in which it was opened, so that a change of the timezone does not begin
-- another day before. Null in proposals of a former release.
-- former release: runs
alter table maintenance.proposals add column day_ends_at timestamptz;
