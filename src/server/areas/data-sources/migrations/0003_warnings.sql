-- What a save warned of, so that reading the configuration shows it again. Warnings about a missing index are not among
-- them: they follow from the indexes there are when the configuration is read. The former release runs on this.
alter table data_sources.sources add column warnings jsonb not null default '[]';
