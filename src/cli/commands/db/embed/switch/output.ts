import { shellOption } from '#contract/core/shell-word.ts'
import { printable } from '../../../../terminal/printable.ts'
import type { SwitchPlan } from './plan.ts'

const BYTES_PER_DIMENSION = { vector: 4, halfvec: 2 } as const
const MIB = 1024 * 1024

export function planDocument({ source_id, table, from, fromModel, to, model }: SwitchPlan) {
  return {
    source_id,
    table: table.shown,
    from: { column: from.name, model: fromModel },
    to: { column: to.name, model: model.name, dimensions: model.dimensions, text: to.text },
  }
}

/** The work that is left. Filling rewrites rows, and Postgres keeps the former ones until it cleans up. */
export function planLines({ table, from, fromModel, to, model }: SwitchPlan, rows: number): string[] {
  const bytes = rows * to.dimensions * BYTES_PER_DIMENSION[to.type]
  return [
    printable(
      `Questions use ${from.name} (${fromModel}) of ${table.shown} and would use ${to.name} (${model.name}, ${to.type}(${to.dimensions})).`,
    ),
    `${rows} rows are to be filled: about ${mebibytes(bytes)} of vectors, and until the next vacuum up to ${mebibytes(table.bytes)} for the rows that are rewritten.`,
  ]
}

function mebibytes(bytes: number): string {
  return `${Math.max(1, Math.round(bytes / MIB))} MiB`
}

/** Commands for the time after the switch, with table and columns as they were typed. */
export function nextSteps(
  { from, fromModel, to, model }: SwitchPlan,
  { command, table, text }: { command: string; table: string; text: string },
): string[] {
  const start = `${command} ${shellOption('table', table)}`
  const filling = `${start} ${shellOption('text', text)}`
  return [
    `Fill new rows from now on with: ${filling} ${shellOption('column', to.name)} ${shellOption('model', model.name)}`,
    `The column ${printable(from.name)} stays. Go back with: ${filling} ${shellOption('model', fromModel)} --switch`,
    `Drop it with: ${start} --drop-old`,
  ]
}
