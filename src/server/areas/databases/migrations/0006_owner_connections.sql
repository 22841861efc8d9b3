-- The connection limit that svc last gave to the owner's role. Null: the limit of earlier releases, which is 20. A role
-- that has another limit got it from an operator, and keeps it.
-- former release: runs
alter table databases.databases add column owner_connections int;
