import { queryWithEmbedding } from '#contract/data-sources/embedding-change.ts'
import { querySource } from '#contract/data-sources/sources.ts'
import type { Cli } from '../../../../terminal/cli.ts'
import { askAll } from '../../../datasource/test/ask-all.ts'
import type { Question } from '../../../datasource/test/questions.ts'
import type { Opened } from '../options.ts'
import { type Comparison, compareAnswers } from './compare.ts'
import type { SwitchPlan } from './plan.ts'

/** The change as the API takes it. */
export function embeddingOf({ table, from, fromModel, to, model }: SwitchPlan) {
  return {
    table: table.quoted,
    from: { column: from.name, model: fromModel },
    to: { column: to.name, model: model.name, dimensions: model.dimensions },
  }
}

/** Asks the questions as they are answered now, and as they would be after the switch. */
export async function askBoth(
  { client }: Opened,
  plan: SwitchPlan,
  questions: readonly Question[],
  cli: Cli,
): Promise<Comparison> {
  const id = plan.source_id
  const embedding = embeddingOf(plan)
  const before = await askAll((question) => client.call(querySource, { id, ...question }), questions, cli)
  const after = await askAll(
    (question) => client.call(queryWithEmbedding, { id, ...question, embedding }),
    questions,
    cli,
  )
  return compareAnswers(before.asked, after.asked)
}
