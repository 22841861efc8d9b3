import { querySource } from '#contract/data-sources/sources.ts'
import { openClient } from '../../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../../command/command.ts'
import type { Cli } from '../../../terminal/cli.ts'
import { Unsuccessful } from '../../../terminal/exit.ts'
import { show } from '../../../terminal/output.ts'
import { printable } from '../../../terminal/printable.ts'
import { askAll } from './ask-all.ts'
import { DEPTHS, type Depth, hitsAt, type QuestionResult, rankOf } from './hit-rates.ts'
import { readQuestions } from './read-questions.ts'

type Flags = OutputFlags & LoginFlags & { min?: number; at?: string }

export async function run([id, file]: [string, string], flags: Flags, cli: Cli): Promise<void> {
  const questions = await readQuestions(file, cli)
  const client = await openClient(flags, cli)
  const { asked, truncated } = await askAll((question) => client.call(querySource, { id, ...question }), questions, cli)
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
