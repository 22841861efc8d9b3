-- The person whose change of the schedule made a nightly run due. Like a person who starts a run by hand, they may not
-- approve its change while another owner or admin can.
-- former release: runs
alter table maintenance.runs add column due_by text;
alter table maintenance.proposals add column due_by text;
