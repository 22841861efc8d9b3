-- Reads the table once, while others read and write it, so that the next file can make it a partition without reading it.
-- former release: runs
-- outside transaction
alter table activity.records validate constraint records_before_partitions;
