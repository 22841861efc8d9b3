-- Counts the messages in flight to a destination. The counter in notifications.destinations is not used any more, because
-- the end of each message had to wait for it.
-- former release: runs, it may send more messages to a destination at once
-- outside transaction
create index concurrently if not exists deliveries_sending on notifications.deliveries (destination_key)
  where state = 'sending';
drop index concurrently if exists notifications.deliveries_leased;
