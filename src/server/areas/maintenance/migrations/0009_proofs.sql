-- The test that a change brings, and what its runs on the live revision and on the changed one came to. Null for a change
-- without a test. The column `validation` stays `tested` for a proven change, because the former release knows no more.
-- former release: runs
alter table maintenance.proposals add column proof jsonb;
