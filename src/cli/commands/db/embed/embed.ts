import { MAX_TEXTS } from '#contract/ai.ts'
import { readConnection } from '#contract/databases.ts'
import { openClient } from '../../../call/client.ts'
import { usageError } from '../../../command/hinted-error.ts'
import type { Cli } from '../../../terminal/cli.ts'
import { show } from '../../../terminal/output.ts'
import { openConnection } from './connection.ts'
import type { Filling } from './fill.ts'
import { fillWithBar } from './fill-with-bar.ts'
import { checkModel } from './find-model.ts'
import { findTable } from './find-table.ts'
import { recordModel } from './model-mark.ts'
import { type EmbedFlags, type Opened, readColumns } from './options.ts'
import { countRows } from './rows.ts'
import { filledLine, watch } from './watch.ts'

const DEFAULT_COLUMN = 'embedding'

export async function run([name]: [string], flags: EmbedFlags, cli: Cli): Promise<void> {
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

type Act = (opened: Opened) => Promise<void>

/** Checks the options before anything is opened. */
async function chooseAct(flags: EmbedFlags, cli: Cli): Promise<Act> {
  if (flags.switch) return (await import('./switch/switch.ts')).switching(flags, cli)
  if (flags.dropOld) return (await import('./switch/drop-old.ts')).dropping(flags, cli)
  const options = readFlags(flags)
  return ({ client, db }) => embed({ client, db, model: options.model }, options, flags, cli)
}

type EmbedOptions = ReturnType<typeof readFlags>

async function embed(
  { client, db, model }: Pick<Filling, 'client' | 'db' | 'model'>,
  options: EmbedOptions,
  flags: EmbedFlags,
  cli: Cli,
): Promise<void> {
  const table = await findTable(db, options)
  await checkModel(client, model, table)
  const filling = { client, db, table, model }
  const { rows, empty } = await countRows(db, table)
  const plan = { table: table.shown, column: options.column, model, rows, empty }
  if (flags.dryRun) return show(cli, flags.output, { ...plan, dry_run: true }, () => planLine(plan))
  await recordModel(db, table, options.column, model)
  const filled = await fillWithBar(filling, rows - empty, cli)
  show(cli, flags.output, { ...plan, dry_run: false, ...filled }, () => filledLine(filled, table.shown))
  if (filled.changed > 0) cli.note('Rows that changed meanwhile have no vector yet. Run the command again.')
  if (flags.watch) await watch(filling, cli)
}

function readFlags({ table, text, column = DEFAULT_COLUMN, model }: EmbedFlags) {
  const missing = Object.entries({ table, text, model }).find(([, value]) => value === undefined)
  if (missing) throw usageError(`--${missing[0]} is missing.`)
  return { table: table!, text: readColumns(text!), column, model: model! }
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
