-- Whether a part of the log or of the runs of a check could not be read, so that a fault which was not seen may not be gone.
-- former release: runs, and reports such a fault as gone
alter table maintenance.watches add column is_partial boolean not null default false;
