import type { z } from 'zod'
import { configureSource } from '#contract/data-sources/search-config.ts'

type Configuration = Omit<z.input<typeof configureSource.input>, 'id'>

/** A configuration to start from, as in the guide to data sources. */
export const EXAMPLE: Configuration = {
  connection_config: {
    embedding_configs: [
      {
        label: 'articles',
        table: 'public.articles',
        model: 'builtin/all-minilm-l6-v2',
        dimensions: 384,
        content_columns: 'id, title, body',
      },
    ],
  },
  filter_schema: { category: 'string' },
}

/**
 * The command that saves the configuration. The document is a here-document, so that it can be edited in the terminal:
 * quotes need no escape, and a line of JSON is never its end.
 */
export function asConfigureCommand(origin: string, id: string, configuration: Configuration): string {
  return [
    `curl -X PUT ${origin}${configureSource.path.replace('{id}', encodeURIComponent(id))} \\`,
    `  -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -d @- <<'EOF'`,
    JSON.stringify(configuration, null, 2),
    'EOF',
  ].join('\n')
}
