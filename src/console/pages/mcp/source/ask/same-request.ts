import { shellOption, shellWord } from '#contract/core/shell-word.ts'
import { querySource } from '#contract/data-sources/sources.ts'
import type { Filters } from './filter-values.ts'

/** Written out, because pages have only the addresses of operations. */
const TOOL: typeof querySource.tool.name = 'data_source_query'

export type Question = {
  readonly id: string
  readonly query: string
  readonly filters: Filters
  readonly top_k: number
  readonly target?: string
}

/** The question as a command of curl. `$KEY` stands for an API token. */
export function asCurl(origin: string, { id, ...body }: Question): string {
  const path = querySource.path.replace('{id}', encodeURIComponent(id))
  return [
    `curl -X POST ${shellWord(origin + path)}`,
    `-H "Authorization: Bearer $KEY"`,
    `-H 'Content-Type: application/json'`,
    `-d ${shellWord(JSON.stringify(withoutDefaults(body)))}`,
  ].join(' \\\n  ')
}

/** The question as a command of the client. One that begins with a dash stands behind the options. */
export function asSvc({ id, query, filters, top_k, target }: Question): string {
  const pairs = Object.entries(filters).flatMap(([column, value]) =>
    [value].flat().map((each) => shellOption('filter', `${column}=${String(each)}`)),
  )
  const options = [...pairs, `--top-k ${top_k}`, ...(target === undefined ? [] : [shellOption('target', target)])]
  const words = [shellWord(id), shellWord(query)]
  const parts = query.startsWith('-') ? [...options, '--', ...words] : [...words, ...options]
  return ['svc datasource query', ...parts].join(' ')
}

/** The question as the parameters of `tools/call`. */
export function asMcp({ id, ...question }: Question): string {
  return JSON.stringify({ name: TOOL, arguments: { id, ...withoutDefaults(question) } }, null, 2)
}

function withoutDefaults({ filters, ...rest }: Omit<Question, 'id'>) {
  return { ...rest, ...(Object.keys(filters).length > 0 && { filters }) }
}
