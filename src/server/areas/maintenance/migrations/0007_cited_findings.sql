-- The lines that show a finding, and its dismissal: a person says why it is no fault, and it stays quiet.
-- former release: runs, it reports dismissed findings
alter table maintenance.findings
  -- [{at, text}], with secrets hidden. Emptied when the evidence of runs of that time is deleted.
  add column lines jsonb not null default '[]',
  add column dismissed_at timestamptz,
  add column dismissed_by text,
  add column dismissed_reason text;
