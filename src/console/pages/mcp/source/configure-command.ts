import type { z } from 'zod'
import { EXAMPLE_SEARCH } from '#contract/data-sources/example-search.ts'
import { configureSource } from '#contract/data-sources/search-config.ts'

type Configuration = Omit<z.input<typeof configureSource.input>, 'id'>

/** The configuration to start from, with a filter. */
export const EXAMPLE: Configuration = { connection_config: EXAMPLE_SEARCH, filter_schema: { category: 'string' } }

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
