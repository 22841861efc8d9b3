import { readFile } from 'node:fs/promises'
import type { z } from 'zod'
import type { Client } from '#contract/core/client.ts'
import { querySource } from '#contract/data-sources/sources.ts'
import { openClient } from '../../../call/client.ts'
import { paced } from '../../../call/paced.ts'
import type { LoginFlags, OutputFlags } from '../../../command/command.ts'
import { localError } from '../../../command/hinted-error.ts'
import type { Cli } from '../../../terminal/cli.ts'
import { Unsuccessful } from '../../../terminal/exit.ts'
import { show } from '../../../terminal/output.ts'
import { printable } from '../../../terminal/printable.ts'
import { DEPTHS, type Depth, hitsAt, type QuestionResult, rankOf } from './hit-rates.ts'
import { parseQuestions, type Question } from './questions.ts'

type Filters = NonNullable<z.input<(typeof querySource)['input']>['filters']>
type Flags = OutputFlags & LoginFlags & { min?: number; at?: string }

export async function run([id, file]: [string, string], flags: Flags, cli: Cli): Promise<void> {
  const questions =
    file === '-' ? parseQuestions(await cli.readStdin(), 'Standard input') : parseQuestions(await readText(file), file)
  const client = await openClient(flags, cli)
  const { asked, truncated } = await askAll(client, id, questions, cli)
  const at = Number(flags.at ?? 10) as Depth
  const passed = flags.min === undefined || hitsAt(asked, at) * 100 >= flags.min * asked.length
  const required = flags.min === undefined ? null : { at, min: flags.min }
  const missed = asked.filter((one) => rankOf(one) === null)
  const hit_rate = Object.fromEntries(DEPTHS.map((depth) => [`at_${depth}`, hitsAt(asked, depth) / asked.length]))
  const results = asked.map((one) => ({ ...one, rank: rankOf(one) }))
  const document = { source_id: id, questions: asked.length, hit_rate, required, passed, missed, results }
  show(cli, flags.output, document, () => [...rateLines(asked), ...missed.flatMap((one) => missedLines(one))])
  if (truncated > 0) cli.note(`${truncated} answers were shortened. Hits that were left out count as missed.`)
  if (passed) return
  cli.note(`The hit rate at ${at} is below ${flags.min} %.`)
  throw new Unsuccessful()
}

async function askAll(client: Client, id: string, questions: readonly Question[], cli: Cli) {
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
      const input = { id, query: question, filters: filters as Filters, top_k: 10, ...(target && { target }) }
      const answer = await paced(() => client.call(querySource, input), onWait)
      if (answer.truncated) truncated++
      asked.push({ question, expect, found: answer.results.map((hit) => hit.id) })
    }
  })()
  await cli.progress(label, asking)
  return { asked, truncated }
}

function rateLines(asked: readonly QuestionResult[]): string[] {
  return DEPTHS.map((depth) => {
    const hits = hitsAt(asked, depth)
    const rate = ((hits / asked.length) * 100).toFixed(1)
    return `Hit rate at ${String(depth).padEnd(2)}  ${rate.padStart(5)} %  (${hits} of ${asked.length})`
  })
}

function missedLines({ question, expect, found }: QuestionResult): string[] {
  return [
    '',
    `Missed: ${printable(question)}`,
    `  expected ${printable(expect.join(', '))}`,
    `  found    ${printable(found.join(', ')) || 'nothing'}`,
  ]
}

async function readText(file: string): Promise<string> {
  return await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw localError(`Cannot read ${file}: ${cause.message}.`, cause, 'Check the name of the file.')
  })
}
