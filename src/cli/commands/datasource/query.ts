import type { z } from 'zod'
import type { Client } from '#contract/core/client.ts'
import { exactNumber, isNumberText } from '#contract/core/decimal.ts'
import { listSlimSources, querySource } from '#contract/data-sources/sources.ts'
import { openClient } from '../../call/client.ts'
import { whileUnavailable } from '../../call/while-unavailable.ts'
import type { LoginFlags, OutputFlags } from '../../command/command.ts'
import { usageError } from '../../command/hinted-error.ts'
import type { Cli } from '../../terminal/cli.ts'
import { show } from '../../terminal/output.ts'
import { printable } from '../../terminal/printable.ts'

type Pair = [column: string, value: string]
type Flags = OutputFlags & LoginFlags & { filter?: string[]; topK?: number; target?: string }
type Answer = z.infer<(typeof querySource)['output']>
type Filters = NonNullable<z.input<(typeof querySource)['input']>['filters']>

export async function run([id, question]: [string, string], flags: Flags, cli: Cli): Promise<void> {
  const pairs = (flags.filter ?? []).map(toPair)
  const client = await openClient(flags, cli)
  const answer = await cli.progress(`Asking ${id}`, query(client, id, question, pairs, flags))
  show(cli, flags.output, answer, () => toLines(answer, cli))
  if (answer.note) cli.note(printable(answer.note))
}

async function query(client: Client, id: string, question: string, pairs: Pair[], flags: Flags): Promise<Answer> {
  const filters = toFilters(pairs, pairs.length === 0 ? {} : await filterTypes(client, id))
  const { topK: top_k, target } = flags
  const input = { id, query: question, filters, ...(top_k && { top_k }), ...(target && { target }) }
  return await whileUnavailable(() => client.call(querySource, input))
}

/** Returns the declared type of each filterable column. Values from the shell are text and are converted to it. */
async function filterTypes(client: Client, id: string): Promise<Record<string, string>> {
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
  // A number that JavaScript cannot represent exactly is sent as text, which number columns accept too.
  if (type === 'number' && isNumberText(text.trim())) return exactNumber(text.trim()) ?? text.trim()
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  if (type === 'number' || type === 'boolean') throw usageError(`--filter ${column}: must be a ${type}, not ${text}`)
  return text
}

const VERDICTS = {
  no: 'This source has nothing about the question: all hits are less similar than rows that answer one.',
  unsure: 'These hits may not answer the question: read them before you rely on them.',
} as const

export function toLines({ count, answerable, results }: Answer, cli: Pick<Cli, 'strong'>): string[] {
  const head = cli.strong(`${count} ${count === 1 ? 'hit' : 'hits'}`)
  const verdict = answerable === 'no' || answerable === 'unsure' ? [VERDICTS[answerable]] : []
  return [head, ...verdict, ...results.flatMap(({ id, title, metadata }) => ['', ...toEntry(id, title, metadata, cli)])]
}

function toEntry(
  id: string,
  title: string | null,
  metadata: Record<string, unknown>,
  cli: Pick<Cli, 'strong'>,
): string[] {
  const { _score, _target, _relevance, ...rest } = metadata
  const values = Object.entries(rest).map(([key, value]) => `  ${printable(key)}: ${printable(toText(value))}`)
  const place = `  ${Number(_score).toFixed(3)}  ${printable(toText(_target))}${relevanceText(_relevance)}`
  return [cli.strong(printable(title === null ? id : `${title} (${id})`)), place, ...values]
}

/** Returns nothing where the relevance is not known. */
function relevanceText(relevance: unknown): string {
  return relevance === undefined || relevance === 'unknown' ? '' : `  ${printable(toText(relevance))}`
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function toPair(text: string): Pair {
  const at = text.indexOf('=')
  if (at < 1) throw usageError(`--filter must be written as column=value, not ${text}.`)
  return [text.slice(0, at), text.slice(at + 1)]
}
