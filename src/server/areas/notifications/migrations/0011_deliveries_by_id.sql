-- Ids begin with the time at which they were made, so old rows are found by id and need no index by age.
-- former release: runs, it reads whole tables to delete old rows
-- outside transaction
drop index concurrently if exists notifications.notifications_by_age;
drop index concurrently if exists notifications.deliveries_by_age;
