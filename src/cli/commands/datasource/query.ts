import { type Command, InvalidArgumentError } from 'commander'
import type { z } from 'zod'
import { listSlimSources, querySource } from '#contract/data-sources.ts'
import { ServiceError } from '#contract/errors.ts'
import { connect } from '../../api.ts'
import type { Cli } from '../../cli.ts'
import { requireLogin } from '../../credentials.ts'
import { addOutputOptions, type Format, printable, toJson } from '../../output.ts'

type Pair = [column: string, value: string]
type Flags = { output: Format; filter: Pair[]; topK?: number; target?: string }
type Answer = z.infer<(typeof querySource)['output']>
type Filters = NonNullable<z.input<(typeof querySource)['input']>['filters']>

export function define(command: Command, cli: Cli): void {
  addOutputOptions(command)
    .argument('<source_id>', 'a source of `svc datasource list`')
    .argument('<question>', 'in words')
    .option('--filter <column=value>', 'exact match; repeat for more, the same column twice means either', toPair, [])
    .option('--top-k <n>', 'hits wanted, 1 to 20 (default: 10)', toInteger)
    .option('--target <label>', 'search only the entry with this label')
    .description('Ask a data source a question and print the nearest rows.')
    .addHelpText(
      'after',
      '\nExample:\n  svc datasource query db_handbook "how much leave do I get" --filter category=leave',
    )
    .action((id: string, question: string, flags: Flags) => run(id, question, flags, cli))
}

async function run(id: string, question: string, { output, filter, topK, target }: Flags, cli: Cli): Promise<void> {
  const client = connect(await requireLogin(cli.config))
  const types = filter.length === 0 ? {} : await filterTypes(client, id)
  const filters = toFilters(filter, types)
  const input = { id, query: question, filters, ...(topK && { top_k: topK }), ...(target && { target }) }
  const answer = await client.call(querySource, input)
  cli.print(output === 'json' ? toJson(answer) : toLines(answer, cli))
  if (answer.note) cli.note(answer.note)
}

/** Only the source knows what a column holds; the shell gives text. */
async function filterTypes(client: ReturnType<typeof connect>, id: string): Promise<Record<string, string>> {
  const { items } = await client.call(listSlimSources, {})
  return items.find((item) => item.id === id)?.filters ?? {}
}

export function toFilters(pairs: readonly Pair[], types: Readonly<Record<string, string>>): Filters {
  const filters = Object.groupBy(pairs, ([column]) => column)
  const entries = Object.entries(filters).map(([column, given]) => {
    return [column, given!.map(([, text]) => convert(column, text, types[column]))]
  })
  return Object.fromEntries(entries) as Filters
}

function convert(column: string, text: string, type: string | undefined): string | number | boolean {
  if (type === 'number' && text.trim() !== '' && Number.isFinite(Number(text))) return Number(text)
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  if (type === 'number' || type === 'boolean') {
    throw new ServiceError('INVALID_REQUEST', `--filter ${column}: ${text} is not a ${type}`)
  }
  return text
}

function toLines({ count, results }: Answer, cli: Cli): string[] {
  const head = cli.strong(`${count} ${count === 1 ? 'hit' : 'hits'}`)
  return [head, ...results.flatMap(({ id, title, metadata }) => ['', ...toEntry(id, title, metadata, cli)])]
}

function toEntry(id: string, title: string | null, metadata: Record<string, unknown>, cli: Cli): string[] {
  const { _score, _target, ...rest } = metadata
  const values = Object.entries(rest).map(([key, value]) => `  ${key}: ${printable(toText(value))}`)
  const place = `  ${Number(_score).toFixed(3)}  ${printable(toText(_target))}`
  return [cli.strong(printable(title === null ? id : `${title} (${id})`)), place, ...values]
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function toPair(text: string, before: Pair[]): Pair[] {
  const at = text.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('write it as column=value')
  return [...before, [text.slice(0, at), text.slice(at + 1)]]
}

function toInteger(text: string): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1 || value > 20) throw new InvalidArgumentError('1 to 20')
  return value
}
