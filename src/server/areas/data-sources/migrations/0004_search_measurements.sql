-- How each index is best searched, as the worker measured it. A question that finds no measurement, or one of another
-- index or of a smaller table, sets due_at; the worker measures and clears it. `target` names table, column and metric.
-- former release: runs, it does not read this table
create table data_sources.search_measurements (
  source_id text not null references data_sources.sources (id) on delete cascade,
  target text not null,
  due_at timestamptz,
  indexes text,
  rows double precision,
  choice jsonb,
  measured_at timestamptz,
  primary key (source_id, target)
);
create index search_measurements_due on data_sources.search_measurements (due_at) where due_at is not null;
