import type { z } from 'zod'
import type { showCheckHistory } from '#contract/checks/overview.ts'
import { RUNS_STATES } from './describe-check.ts'
import { summarizeHistory } from './summarize-history.ts'
import '#console/styles/strip.css'

export type Cells = z.infer<typeof showCheckHistory.output>['items'][number]['cells']

const WIDTH = 10
const HEIGHT = 24
/** How much of the height stays free. Worse results are taller, so that they differ without colour. */
const FREE = { pass: 12, mixed: 9, indeterminate: 6, error: 6, fail: 0 }

/** How a check went over time, oldest first. The page of the check lists its runs. */
export function HistoryStrip({ cells }: { cells: Cells }) {
  const summary = summarizeHistory(cells)
  return (
    <figure className="strip">
      <svg viewBox={`0 0 ${cells.length * WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={summary}>
        {cells.map((cell, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a cell is its place in time
          <Cell key={index} cell={cell} x={index * WIDTH} />
        ))}
      </svg>
      <figcaption className="soft">{summary}</figcaption>
    </figure>
  )
}

function Cell({ cell, x }: { cell: Cells[number]; x: number }) {
  if (cell === null) return <rect className="none" x={x + 1} y={HEIGHT - 2} width={WIDTH - 2} height={2} />
  const { tone, word } = RUNS_STATES[cell.state]
  const y = FREE[cell.state]
  return (
    <rect className={tone} x={x + 1} y={y} width={WIDTH - 2} height={HEIGHT - y}>
      <title>{`${word}: ${cell.passed} of ${cell.runs} runs passed`}</title>
    </rect>
  )
}
