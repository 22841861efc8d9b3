import { BOTTOM_PX, LEFT_PX, NAMES_PX, RIGHT_PX, TimeAxis, TOP_PX, ValueAxis } from './axes.tsx'
import { Chart, type ChartProps } from './chart.tsx'
import { Marks } from './marks.tsx'
import { numberText } from './number-text.ts'
import { HatchPattern, StripePattern, usePatternId } from './patterns.tsx'
import { Plot } from './plot.tsx'
import { barSizes, scaleTop } from './scale.ts'

type Series = {
  readonly label: string
  /** Null where it is not known. */
  readonly values: readonly (number | null)[]
  /** A colour with a meaning, in place of the next one of the series. `unknown` is hatched. */
  readonly tone?: 'error' | 'warn' | 'info' | 'debug' | 'unknown'
}
type Limit = { readonly label: string; readonly value: number }

type Props = ChartProps & {
  /** One for each bar, as people say it. */
  labels: readonly string[]
  series: readonly Series[]
  unit: string
  /** A line across the bars that they should stay below. */
  limit?: Limit
  /** Words for each bar, beside its numbers. */
  notes?: { readonly head: string; readonly values: readonly string[] }
  /** Ends the bars where the lines of charts with the same times end. */
  isBesideLines?: boolean
}

const HEIGHT = 120
/** Lowest bar that can be seen, for a value that is not 0. */
const MIN_HEIGHT_PX = 2

/** Bars over time, stacked by series, with the same numbers as a table. */
export function StackedBars(props: Props) {
  const { title, axis, summary, ticks, marks = [], labels, series, unit, limit, notes, isBesideLines = false } = props
  const stripes = usePatternId()
  const hatch = usePatternId()
  const right = isBesideLines ? NAMES_PX : RIGHT_PX
  const totals = labels.map((_, bar) => series.reduce((sum, { values }) => sum + (values[bar] ?? 0), 0))
  const top = scaleTop(Math.max(limit?.value ?? 0, ...totals))
  const numbers = {
    heads: [
      'When',
      ...series.map(({ label }) => label),
      ...(limit ? [limit.label] : []),
      ...(notes ? [notes.head] : []),
    ],
    rows: labels.map((label, row) => [
      label,
      ...series.map(({ values }) => valueText(values[row])),
      ...(limit ? [numberText(limit.value)] : []),
      ...(notes ? [notes.values[row]!] : []),
    ]),
  }
  return (
    <Chart title={title} axis={axis} numbers={numbers}>
      <Plot label={summary ?? describe(labels, totals, unit, limit)} height={TOP_PX + HEIGHT + BOTTOM_PX}>
        {(width) => {
          const { bar, distance } = barSizes(labels.length, width - LEFT_PX - right)
          const xOf = (index: number) => LEFT_PX + distance * (index + 0.5)
          return (
            <>
              <StripePattern id={stripes} />
              <HatchPattern id={hatch} />
              {labels.map(
                (label, index) =>
                  series.every(({ values }) => values[index] === null) && (
                    <rect
                      key={xOf(index)}
                      fill={`url(#${hatch})`}
                      x={LEFT_PX + distance * index}
                      y={TOP_PX}
                      width={distance}
                      height={HEIGHT}
                    >
                      <title>{`${label}: unknown`}</title>
                    </rect>
                  ),
              )}
              <ValueAxis top={top} left={LEFT_PX} right={width} height={HEIGHT} format={numberText} />
              {labels.map((label, index) => (
                <Bar
                  key={xOf(index)}
                  {...{ index, series, top, unit, stripes, hatch }}
                  label={notes ? `${label}, ${notes.values[index]}` : label}
                  x={xOf(index) - bar / 2}
                  width={bar}
                />
              ))}
              {limit && <LimitLine limit={limit} top={top} width={width} />}
              <Marks marks={marks} left={LEFT_PX} distance={distance} top={TOP_PX} height={HEIGHT} />
              <TimeAxis labels={ticks ?? labels} xOf={xOf} width={distance * labels.length} y={TOP_PX + HEIGHT + 16} />
            </>
          )
        }}
      </Plot>
      {series.length > 1 && <Legend series={series} />}
    </Chart>
  )
}

type BarProps = {
  label: string
  index: number
  series: readonly Series[]
  top: number
  unit: string
  stripes: string
  hatch: string
  x: number
  width: number
}

function Bar({ label, index, series, top, unit, stripes, hatch, x, width }: BarProps) {
  const heights = series.map(({ values }) => {
    const value = values[index] ?? 0
    return value === 0 ? 0 : Math.max(MIN_HEIGHT_PX, (value / top) * HEIGHT)
  })
  return series.map((one, place) => {
    const below = heights.slice(0, place).reduce((sum, other) => sum + other, 0)
    const box = { x, y: TOP_PX + HEIGHT - below - heights[place]!, width, height: heights[place]! }
    return (
      <g key={one.label}>
        <rect
          className={seriesClass(one, place)}
          {...box}
          {...(one.tone === 'unknown' && { fill: `url(#${hatch})` })}
        />
        {isStriped(one, place) && <rect fill={`url(#${stripes})`} {...box} />}
        <title>{`${label}: ${numberText(one.values[index] ?? 0)} ${unit}${series.length > 1 ? `, ${one.label}` : ''}`}</title>
      </g>
    )
  })
}

function valueText(value: number | null | undefined): string {
  return value === null ? 'unknown' : numberText(value ?? 0)
}

/** Neighbours differ without colour. */
function isStriped({ tone }: Series, place: number): boolean {
  return place % 2 === 1 && tone !== 'unknown'
}

function seriesClass({ tone }: Series, place: number): string {
  return `series-${tone ?? (place % 8) + 1}`
}

function LimitLine({ limit, top, width }: { limit: Limit; top: number; width: number }) {
  const y = TOP_PX + HEIGHT - (limit.value / top) * HEIGHT
  return (
    <g>
      <line className="limit" x1={LEFT_PX} x2={width} y1={y} y2={y} />
      <text className="axis strong" x={width} y={y + 14} textAnchor="end">
        {`${limit.label}: ${numberText(limit.value)}`}
      </text>
    </g>
  )
}

/** Names the series in the order in which they are stacked, so that it can be read without colours. */
function Legend({ series }: { series: readonly Series[] }) {
  return (
    <ul className="legend" aria-label="From the bottom of each bar">
      {series.map((one, index) => (
        <li key={one.label}>
          <span
            className={`swatch ${seriesClass(one, index)}${isStriped(one, index) ? ' striped' : ''}`}
            aria-hidden="true"
          />
          {one.label}
        </li>
      ))}
    </ul>
  )
}

function describe(labels: readonly string[], totals: readonly number[], unit: string, limit?: Limit): string {
  const bars = labels.map((label, bar) => `${label}: ${numberText(totals[bar]!)} ${unit}`)
  return [...bars, ...(limit ? [`${limit.label}: ${numberText(limit.value)} ${unit}`] : [])].join(', ')
}
