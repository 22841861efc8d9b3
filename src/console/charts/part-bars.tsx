import { Chart, type ChartProps } from './chart.tsx'
import { numberText } from './number-text.ts'
import { HatchPattern, usePatternId } from './patterns.tsx'
import { Plot } from './plot.tsx'
import { segmentsOf } from './segments.ts'

/** How a part looks. They differ in their texture and not only in their colour. */
type PartTone = 'success' | 'failure' | 'unknown' | 'running' | 'plain'
type Part = { readonly label: string; readonly tone: PartTone }
type Row = { readonly id: string; readonly label: string; readonly values: readonly number[] }

type Props = ChartProps & {
  /** Names the rows, as the head of their column in the table. */
  rowHead: string
  parts: readonly Part[]
  rows: readonly Row[]
  /** Whether the length of a bar shows its sum. Without it all bars have one length and show shares. */
  isScaled?: boolean
}

const HEIGHT = 16

/** One bar for each row, divided by what became of it. Each says its numbers in words. */
export function PartBars({ title, axis, rowHead, parts, rows, isScaled = false }: Props) {
  const most = Math.max(1, ...rows.map(sumOf))
  const numbers = {
    heads: [rowHead, ...parts.map(({ label }) => label)],
    rows: rows.map(({ label, values }) => [label, ...values.map(numberText)]),
  }
  return (
    <Chart title={title} axis={axis} numbers={numbers}>
      <ul className="part-bars">
        {rows.map((row) => (
          <li key={row.id}>
            <span className="part-name">{row.label}</span>
            <PartBar row={row} parts={parts} share={isScaled ? sumOf(row) / most : 1} />
            <span className="soft part-words">{wordsOf(row, parts)}</span>
          </li>
        ))}
      </ul>
    </Chart>
  )
}

type BarProps = {
  row: Row
  parts: readonly Part[]
  /** How much of the room the bar takes, from 0 to 1. */
  share: number
}

function PartBar({ row, parts, share }: BarProps) {
  const hatch = usePatternId()
  return (
    <Plot label={`${row.label}: ${wordsOf(row, parts)}`} height={HEIGHT}>
      {(width) => (
        <>
          <HatchPattern id={hatch} />
          {segmentsOf(row.values, width * share).map((segment, place) => {
            const { label, tone } = parts[place]!
            return (
              <g key={label} className={`part ${tone}`}>
                <rect {...segment} height={HEIGHT} {...(tone === 'unknown' && { fill: `url(#${hatch})` })}>
                  <title>{`${numberText(row.values[place]!)} ${label}`}</title>
                </rect>
                {tone === 'failure' && segment.width > 0 && (
                  <line x1={segment.x} x2={segment.x + segment.width} y1={HEIGHT / 2} y2={HEIGHT / 2} />
                )}
              </g>
            )
          })}
        </>
      )}
    </Plot>
  )
}

function sumOf({ values }: Row): number {
  return values.reduce((sum, value) => sum + value, 0)
}

function wordsOf({ values }: Row, parts: readonly Part[]): string {
  const words = parts.flatMap(({ label }, place) => (values[place] ? [`${numberText(values[place])} ${label}`] : []))
  return words.length === 0 ? 'nothing' : words.join(', ')
}
