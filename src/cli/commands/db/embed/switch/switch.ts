import { usageError } from '../../../../command/hinted-error.ts'
import type { Cli } from '../../../../terminal/cli.ts'
import { show } from '../../../../terminal/output.ts'
import { readQuestions } from '../../../datasource/test/read-questions.ts'
import { type EmbedFlags, type Opened, readColumns } from '../options.ts'
import { watch } from '../watch.ts'
import { countToFill, fillingOf } from './fill-column.ts'
import { finishSwitch } from './finish.ts'
import { planDocument, planLines } from './output.ts'
import { type DonePlan, planSwitch, type SwitchOptions, type SwitchPlan } from './plan.ts'
import { columnOf, switchModel } from './switch-model.ts'

/**
 * Checks the options. The act that it returns fills the new column, builds its index, compares, asks and switches. Each
 * step finds out what is left to do, so that the command can be repeated after it was ended at any point.
 */
export async function switching(flags: EmbedFlags, cli: Cli) {
  const options = readFlags(flags, cli)
  const questions = flags.questions === undefined ? undefined : await readQuestions(flags.questions, cli)
  return async (opened: Opened): Promise<void> => {
    const plan = await planSwitch(opened, options)
    if ('isDone' in plan) return finishAgain(opened, plan, flags, cli)
    if (questions && !plan.exposed) throw notExposed(plan.source_id)
    if (flags.dryRun) return showPlan(opened, plan, flags, cli)
    await switchModel({ opened, plan, questions, flags, cli })
    if (flags.watch) await watch(await fillingOf(opened, columnOf(plan)), cli)
  }
}

function readFlags(flags: EmbedFlags, cli: Cli): SwitchOptions {
  const { table, model, text, column, questions, withoutQuestions, yes, dryRun } = flags
  if (flags.dropOld) throw usageError('--switch and --drop-old cannot be used together. Drop the old column later.')
  if (table === undefined) throw usageError('--table is missing.')
  if (model === undefined) throw usageError('--model is missing.')
  if (questions === undefined && !withoutQuestions && !dryRun) {
    throw usageError(
      `--questions is missing. Name the file of \`${cli.config.program} datasource test\`, or add --without-questions to compare nothing.`,
    )
  }
  // Hours of work should not end with a refusal.
  if (!yes && !dryRun && !cli.interactive) {
    throw usageError('A switch is confirmed after the comparison, and there is no terminal. Add --yes to confirm it.')
  }
  return { table, model, column, text: text === undefined ? undefined : readColumns(text) }
}

function notExposed(sourceId: string) {
  return usageError(
    `${sourceId} is not exposed, so its questions cannot be asked. Expose it, or add --without-questions.`,
  )
}

async function showPlan({ db }: Opened, plan: SwitchPlan, flags: EmbedFlags, cli: Cli): Promise<void> {
  const rows = await countToFill(db, plan)
  show(cli, flags.output, { ...planDocument(plan), rows, dry_run: true }, () => planLines(plan, rows))
}

/** An earlier run may have ended right after the switch. */
async function finishAgain(opened: Opened, plan: DonePlan, flags: EmbedFlags, cli: Cli): Promise<void> {
  const { source_id, table, column, model, text } = plan
  const filled = text && !flags.dryRun ? await finishSwitch(opened, { table, column, model, text }, cli) : 0
  const document = { source_id, table: table.shown, to: { column, model }, filled, switched: false }
  show(cli, flags.output, document, () => `${source_id} is answered by ${model} already. Nothing was switched.`)
  if (flags.watch && text) await watch(await fillingOf(opened, { table, column, model, text }), cli)
}
