import { EXAMPLE_SEARCH } from '#contract/data-sources/example-search.ts'
import type { Cli } from '../../terminal/cli.ts'

/** Says how the search of a source is configured. The command reads the file that the lines before it show. */
export function searchHint(cli: Cli, id: string): string {
  return [
    'Save this as search.json, with your table, columns and model:',
    JSON.stringify({ connection_config: EXAMPLE_SEARCH }, null, 2),
    `Then run: ${cli.config.program} api PUT /api/wf/data-sources/${id} --data @search.json`,
  ].join('\n')
}
