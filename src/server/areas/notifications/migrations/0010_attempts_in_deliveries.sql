-- The last attempt of a message is part of the message's row, because most messages have only one. A row of attempts is
-- written when another attempt will follow. Rows that were written before stay as they are.
-- former release: runs, it shows no attempt of messages that were sent at once
alter table notifications.deliveries
  -- When the last attempt was claimed. Null for one whose attempts all have rows of their own.
  add column started_at timestamptz,
  -- What the last attempt came to. Null while it is under way.
  add column outcome text,
  -- Of the receiver's answer to the last attempt, where there was one.
  add column status int;
