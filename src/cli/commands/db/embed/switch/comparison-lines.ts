import { printable } from '../../../../terminal/printable.ts'
import { toTable } from '../../../../terminal/table.ts'
import { DEPTHS } from '../../../datasource/test/hit-rates.ts'
import type { ComparedQuestion, Comparison } from './compare.ts'

type Models = { readonly before: string; readonly after: string }

/** Shows the hit rates of both models, and each question for which they differ. */
export function comparisonLines(comparison: Comparison, { before, after }: Models): string[] {
  const { questions, hit_rate, outcomes, results } = comparison
  const rate = (hits: number) => `${((hits / questions) * 100).toFixed(1)} % (${hits} of ${questions})`
  const rows = DEPTHS.map((depth) => {
    const hits = hit_rate[`at_${depth}`]
    return [`at ${depth}`, rate(hits.before), rate(hits.after)]
  })
  const { found, lost, moved, same } = outcomes
  return [
    ...toTable(['HIT RATE', before, after], rows),
    '',
    ...results.flatMap((one) => questionLines(one)),
    `${found} found, ${lost} lost, ${moved} moved, ${same} the same.`,
  ]
}

function questionLines(one: ComparedQuestion): string[] {
  const { outcome, rank_before, rank_after } = one
  const question = printable(one.question)
  switch (outcome) {
    case 'same':
      return []
    case 'found':
      return [`Found: ${question} (now at ${rank_after})`]
    case 'moved':
      return [`Moved: ${question} (${rank_before} to ${rank_after})`]
    case 'lost':
      return [
        `Lost: ${question} (was at ${rank_before})`,
        `  expected ${printable(one.expect.join(', '))}`,
        `  found    ${printable(one.found.join(', ')) || 'nothing'}`,
      ]
    default:
      throw outcome satisfies never
  }
}
