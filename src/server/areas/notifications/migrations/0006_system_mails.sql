-- Mails without an event are deliveries with sealed text. The key says which mail it is, so that it is made only once.
-- former release: runs
alter table notifications.deliveries add column message_key text unique;
