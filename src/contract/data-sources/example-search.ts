import type { z } from 'zod'
import type { configureSource } from './search-config.ts'

/** A configuration to start from, of the columns that `svc db embed` fills in the guide to data sources. */
export const EXAMPLE_SEARCH = {
  embedding_configs: [
    {
      label: 'articles',
      table: 'public.articles',
      model: 'builtin/all-minilm-l6-v2',
      dimensions: 384,
      content_columns: 'id, title, body',
    },
  ],
} satisfies z.input<typeof configureSource.input>['connection_config']
