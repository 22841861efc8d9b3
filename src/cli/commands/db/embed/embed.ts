import { MAX_TEXTS } from '#contract/ai.ts'
import type { Client } from '#contract/core/client.ts'
import { splitNames } from '#contract/data-sources/table-name.ts'
import { readConnection } from '#contract/databases.ts'
import { openClient } from '../../../call/client.ts'
import { poll } from '../../../call/poll.ts'
import type { LoginFlags, OutputFlags } from '../../../command/command.ts'
import { usageError } from '../../../command/hinted-error.ts'
import type { Cli } from '../../../terminal/cli.ts'
import { show } from '../../../terminal/output.ts'
import { type Connection, openConnection } from './connection.ts'
import { type Filled, type Filling, fill } from './fill.ts'
import { fillWithBar } from './fill-with-bar.ts'
import { checkModel } from './find-model.ts'
import { findTable } from './find-table.ts'
import { countRows } from './rows.ts'
import type { SwitchFlags } from './switch/switch.ts'

export type EmbedFlags = OutputFlags &
  LoginFlags & { table?: string; text?: string; column?: string; model?: string; watch?: boolean; dryRun?: boolean }
type Flags = EmbedFlags & SwitchFlags

const DEFAULT_COLUMN = 'embedding'

export async function run([name]: [string], flags: Flags, cli: Cli): Promise<void> {
  const act = await chooseAct(flags, cli)
  const client = await openClient(flags, cli)
  const { connection_string } = await client.call(readConnection, { name })
  const db = await cli.progress(`Opening ${name}`, openConnection(connection_string, name))
  try {
    await act({ client, db, name })
  } finally {
    await db.close()
  }
}

export type Opened = { readonly client: Client; readonly db: Connection; readonly name: string }
type Act = (opened: Opened) => Promise<void>

/** Checks the options before anything is opened. */
async function chooseAct(flags: Flags, cli: Cli): Promise<Act> {
  if (flags.switch) return (await import('./switch/switch.ts')).switching(flags, cli)
  if (flags.dropOld) return (await import('./switch/drop-old.ts')).dropping(flags, cli)
  const options = readFlags(flags)
  return ({ client, db }) => embed({ client, db, model: options.model }, options, flags, cli)
}

type EmbedOptions = ReturnType<typeof readFlags>

async function embed(
  { client, db, model }: Pick<Filling, 'client' | 'db' | 'model'>,
  options: EmbedOptions,
  flags: Flags,
  cli: Cli,
): Promise<void> {
  const table = await findTable(db, options)
  await checkModel(client, model, table)
  const filling = { client, db, table, model }
  const { rows, empty } = await countRows(db, table)
  const plan = { table: table.shown, column: options.column, model, rows, empty }
  if (flags.dryRun) return show(cli, flags.output, { ...plan, dry_run: true }, () => planLine(plan))
  const filled = await fillWithBar(filling, rows - empty, cli)
  show(cli, flags.output, { ...plan, dry_run: false, ...filled }, () => filledLine(filled, table.shown))
  if (filled.changed > 0) cli.note('Rows that changed meanwhile have no vector yet. Run the command again.')
  if (flags.watch) await watch(filling, cli)
}

function readFlags({ table, text, column = DEFAULT_COLUMN, model }: Flags) {
  const missing = Object.entries({ table, text, model }).find(([, value]) => value === undefined)
  if (missing) throw usageError(`--${missing[0]} is missing.`)
  return { table: table!, text: readColumns(text!), column, model: model! }
}

/** Reads the column names of `--text`. */
export function readColumns(text: string): string[] {
  const columns = splitNames(text, ',')
  if (columns && !columns.includes('')) return columns
  throw usageError(`--text must be column names with commas between them, not ${text}.`)
}

/** Fills rows that are added or whose vector is removed, until Ctrl-C. */
export async function watch(filling: Omit<Filling, 'onProgress'>, cli: Cli): Promise<void> {
  cli.note('Watching for new rows. Press Ctrl-C to stop.')
  for await (const filled of poll(() => fill({ ...filling, onProgress: () => undefined }))) {
    if (filled.embedded > 0) cli.note(filledLine(filled, filling.table.shown))
  }
}

export function filledLine({ embedded, empty, changed }: Filled, table: string): string {
  const rest = [empty > 0 ? `${empty} have no text` : '', changed > 0 ? `${changed} changed meanwhile` : '']
  return [`Filled ${embedded} ${embedded === 1 ? 'row' : 'rows'} of ${table}`, ...rest.filter(Boolean)]
    .join(', ')
    .concat('.')
}

function planLine({
  table,
  model,
  rows,
  empty,
}: {
  table: string
  model: string
  rows: number
  empty: number
}): string {
  const calls = Math.ceil((rows - empty) / MAX_TEXTS)
  return `${rows - empty} of ${rows} rows without a vector in ${table} would be sent to ${model}, in about ${calls} calls.`
}
