-- Prepares the lines of logs for partitions by id. The present table becomes the first partition: this bound, which ids do
-- not reach, is checked for the stored rows by the next file without blocking anybody.
-- former release: runs
alter table apps.logs add constraint logs_before_partitions check (id < 100000000000) not valid;
