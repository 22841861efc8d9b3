-- Finds what became of the newest event of an app that a person follows, without reading the organization's ledger.
-- former release: runs
-- outside transaction
create index concurrently if not exists notifications_by_person
  on notifications.notifications (user_id, app_id, id desc) where user_id is not null;
