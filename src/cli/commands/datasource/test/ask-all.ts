import type { z } from 'zod'
import type { querySource } from '#contract/data-sources/sources.ts'
import { paced } from '../../../call/paced.ts'
import type { Cli } from '../../../terminal/cli.ts'
import type { QuestionResult } from './hit-rates.ts'
import type { Question } from './questions.ts'

type Sent = Omit<z.input<typeof querySource.input>, 'id'>
type Ask = (question: Sent) => Promise<z.output<typeof querySource.output>>

/** Asks one question after the other, and waits where the question limit is reached. */
export async function askAll(ask: Ask, questions: readonly Question[], cli: Pick<Cli, 'progress'>) {
  const asked: QuestionResult[] = []
  let truncated = 0
  let waiting: number | undefined
  const label = () =>
    waiting === undefined
      ? `Asked ${asked.length} of ${questions.length}`
      : `Asked ${asked.length} of ${questions.length}, waiting ${waiting} s for the question limit`
  const onWait = (seconds: number | undefined) => {
    waiting = seconds
  }
  const asking = (async () => {
    for (const { question, expect, filters, target } of questions) {
      const sent = { query: question, filters: filters as Sent['filters'], top_k: 10, ...(target && { target }) }
      const answer = await paced(() => ask(sent), onWait)
      if (answer.truncated) truncated++
      asked.push({ question, expect, found: answer.results.map((hit) => hit.id) })
    }
  })()
  await cli.progress(label, asking)
  return { asked, truncated }
}
