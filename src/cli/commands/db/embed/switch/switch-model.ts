import { changeEmbedding } from '#contract/data-sources/embedding-change.ts'
import { quoted } from '#contract/data-sources/suggest/suggest-search.ts'
import { askToConfirm } from '../../../../call/client-command.ts'
import type { Cli } from '../../../../terminal/cli.ts'
import { Interrupted, Unsuccessful } from '../../../../terminal/exit.ts'
import { show } from '../../../../terminal/output.ts'
import type { Question } from '../../../datasource/test/questions.ts'
import type { EmbedFlags, Opened } from '../options.ts'
import { askBoth, embeddingOf } from './ask-both.ts'
import { type Comparison, isWorse } from './compare.ts'
import { comparisonLines } from './comparison-lines.ts'
import { type ColumnToFill, countToFill, fillColumn } from './fill-column.ts'
import { finishSwitch } from './finish.ts'
import { buildIndexes } from './indexes.ts'
import { countMissing, type Missing, refuseMissing } from './missing.ts'
import { prepareColumn } from './new-column.ts'
import { nextSteps, planDocument, planLines } from './output.ts'
import type { SwitchPlan } from './plan.ts'

type Switching = {
  readonly opened: Opened
  readonly plan: SwitchPlan
  readonly questions: readonly Question[] | undefined
  readonly flags: EmbedFlags
  readonly cli: Cli
}

/** The new column, as the commands that fill vectors take it. */
export function columnOf({ table, to, model }: SwitchPlan): ColumnToFill {
  return { table, column: to.name, model: model.name, text: to.text }
}

export async function switchModel(switching: Switching): Promise<void> {
  const { opened, plan, flags, cli } = switching
  const { table, from, to } = plan
  for (const line of planLines(plan, await countToFill(opened.db, plan))) cli.note(line)
  await prepareColumn(opened.db, table, plan, cli)
  const filledBefore = await fillColumn(opened, columnOf(plan), cli)
  const indexes = await buildIndexes(opened.db, table, from.name, to, cli)
  const caughtUp = filledBefore + (await catchUp(switching)).filled
  const comparison = await compare(switching)
  await confirmSwitch(switching, comparison)
  const { filled, missing } = await catchUp(switching)
  await opened.client.call(changeEmbedding, { id: plan.source_id, ...embeddingOf(plan) })
  const filledAfter = await finishSwitch(opened, columnOf(plan), cli)
  const sum = caughtUp + filled + filledAfter
  const document = { ...planDocument(plan), filled: sum, ...missing, indexes, comparison, switched: true }
  show(cli, flags.output, document, () => doneLine(plan, sum))
  for (const line of nextSteps(plan, typedNames(switching))) cli.note(line)
}

/** Fills rows that were added or changed meanwhile. Throws if too many rows would no longer be found. */
async function catchUp({ opened, plan, flags, cli }: Switching): Promise<{ filled: number; missing: Missing }> {
  const { table, from, to } = plan
  const filled = await fillColumn(opened, columnOf(plan), cli)
  const missing = await countMissing(opened.db, table, from.name, to.name)
  if (!flags.force) refuseMissing(missing, table.shown)
  return { filled, missing }
}

async function compare({ opened, plan, questions, flags, cli }: Switching): Promise<Comparison | null> {
  if (!questions) return null
  const comparison = await askBoth(opened, plan, questions, cli)
  const models = { before: plan.fromModel, after: plan.model.name }
  for (const line of comparisonLines(comparison, models)) cli.note(line)
  if (!flags.yes || flags.force || !isWorse(comparison)) return comparison
  cli.note(
    `${plan.model.name} finds fewer of the expected ids. Nothing was switched. Add --force to switch all the same.`,
  )
  throw new Unsuccessful()
}

async function confirmSwitch({ opened, plan, flags, cli }: Switching, comparison: Comparison | null): Promise<void> {
  const { source_id, fromModel, model, table, from, to } = plan
  const { rows, missing } = await countMissing(opened.db, table, from.name, to.name)
  if (missing > 0) cli.note(`${missing} of ${rows} rows have no vector of ${model.name} and will not be found.`)
  const compared = comparison ? '' : ' without a comparison'
  try {
    const act = `This answers questions to ${source_id} about ${table.shown} by ${model.name} instead of ${fromModel}${compared}`
    await askToConfirm(cli, flags.yes, act)
  } catch (error) {
    if (error instanceof Interrupted)
      cli.note(`The column ${to.name} stays. Run the command again to go on, or drop the column with --drop-old.`)
    throw error
  }
}

function doneLine({ source_id, table, to, model }: SwitchPlan, filled: number): string {
  return `${source_id} answers questions about ${table.shown} by ${model.name} (${to.name}) now. ${filled} rows were filled.`
}

function typedNames({ opened, plan, flags, cli }: Switching) {
  const command = `${cli.config.program} db embed ${opened.name}`
  return { command, table: flags.table!, text: flags.text ?? plan.to.text.map(quoted).join(',') }
}
