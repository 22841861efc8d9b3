import { useId, useState } from 'react'
import { scaleTop } from './scale.ts'

type Series = { readonly label: string; readonly values: readonly number[] }

type Props = {
  /** The question that the chart answers. */
  title: string
  /** One for each bar, as people say it. */
  labels: readonly string[]
  series: readonly Series[]
  unit: string
}

const HEIGHT = 120
const BAR = 24
const GAP = 8

/** Bars over time, stacked by series, with the same numbers as a table. */
export function StackedBars({ title, labels, series, unit }: Props) {
  const [isTable, setTable] = useState(false)
  const heading = useId()
  const totals = labels.map((_, bar) => series.reduce((sum, { values }) => sum + (values[bar] ?? 0), 0))
  const top = scaleTop(Math.max(0, ...totals))
  const width = labels.length * (BAR + GAP)
  return (
    <figure className="chart" aria-labelledby={heading}>
      <figcaption>
        <h2 id={heading}>{title}</h2>
        <button type="button" className="button quiet small" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
          Table
        </button>
      </figcaption>
      {isTable ? (
        <NumbersTable labels={labels} series={series} />
      ) : (
        <>
          <svg viewBox={`0 0 ${width + 40} ${HEIGHT + 24}`} role="img" aria-label={describe(labels, totals, unit)}>
            <text className="axis" x={width + 4} y={10}>
              {top}
            </text>
            <text className="axis" x={width + 4} y={HEIGHT}>
              0
            </text>
            <line className="grid" x1={0} x2={width} y1={1} y2={1} />
            <line className="grid" x1={0} x2={width} y1={HEIGHT} y2={HEIGHT} />
            {labels.map((label, bar) => (
              <Bar key={label} label={label} bar={bar} series={series} top={top} unit={unit} />
            ))}
          </svg>
          {series.length > 1 && (
            <ul className="legend">
              {series.map(({ label }, index) => (
                <li key={label}>
                  <span className={`swatch series-${(index % 8) + 1}`} aria-hidden="true" />
                  {label}
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </figure>
  )
}

type BarProps = { label: string; bar: number; series: readonly Series[]; top: number; unit: string }

function Bar({ label, bar, series, top, unit }: BarProps) {
  const x = bar * (BAR + GAP)
  const heights = series.map(({ values }) => ((values[bar] ?? 0) / top) * HEIGHT)
  return (
    <g>
      {series.map((one, index) => {
        const height = heights[index]!
        const below = heights.slice(0, index).reduce((sum, other) => sum + other, 0)
        return (
          <rect
            key={one.label}
            className={`series-${(index % 8) + 1}`}
            x={x}
            y={HEIGHT - below - height}
            width={BAR}
            height={height}
          >
            <title>{`${label}: ${one.values[bar] ?? 0} ${unit}${series.length > 1 ? `, ${one.label}` : ''}`}</title>
          </rect>
        )
      })}
      <text className="axis" x={x + BAR / 2} y={HEIGHT + 16} textAnchor="middle">
        {label}
      </text>
    </g>
  )
}

function NumbersTable({ labels, series }: Pick<Props, 'labels' | 'series'>) {
  return (
    <div className="table-frame">
      <table>
        <thead>
          <tr>
            <th scope="col">When</th>
            {series.map(({ label }) => (
              <th key={label} scope="col" className="number">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {labels.map((label, row) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              {series.map((one) => (
                <td key={one.label} className="number">
                  {one.values[row] ?? 0}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function describe(labels: readonly string[], totals: readonly number[], unit: string): string {
  return labels.map((label, bar) => `${label}: ${totals[bar]} ${unit}`).join(', ')
}
