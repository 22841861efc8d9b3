import type { SearchConfiguration } from '#contract/data-sources/search-config.ts'
import type { DataSource } from '#contract/data-sources/sources.ts'

type Saved = Pick<SearchConfiguration, 'connection_config' | 'filter_schema'>

/** Returns the saved configuration of a source, which is empty while none was saved. */
export function savedSearch(source: Pick<DataSource, 'connection_config' | 'filter_schema'> | undefined): Saved {
  const config = (source?.connection_config ?? {}) as Partial<Saved['connection_config']>
  return {
    connection_config: { ...config, embedding_configs: config.embedding_configs ?? [] },
    filter_schema: source?.filter_schema ?? {},
  }
}

export function entriesOf(source: Pick<DataSource, 'connection_config' | 'filter_schema'> | undefined) {
  return savedSearch(source).connection_config.embedding_configs
}
