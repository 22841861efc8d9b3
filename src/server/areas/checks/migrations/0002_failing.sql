-- Finds the checks of an organization that do not pass, for its overview. Most checks pass, so it stays small.
-- former release: runs
create index checks_failing on checks.checks (org_id) where enabled and state in ('failing', 'fail', 'error', 'indeterminate');
