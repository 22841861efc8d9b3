import { type ReactNode, useId, useState } from 'react'
import type { ChartMark } from './marks.tsx'

type Numbers = { readonly heads: readonly string[]; readonly rows: readonly (readonly (string | number)[])[] }

export type ChartProps = {
  /** The question that the chart answers. */
  title: string
  /** Text of what the axis counts or measures. */
  axis: string
  /** Describes the picture to screen readers in place of each of its values, which the table has. */
  summary?: string
  /** Labels below the picture that are shorter than those of the table. */
  ticks?: readonly string[]
  marks?: readonly ChartMark[]
}

type Props = Pick<ChartProps, 'title' | 'axis'> & {
  /** The same numbers, for those who would rather read. */
  numbers: Numbers
  children: ReactNode
}

/** The frame of a chart: the question, what is counted, and the switch to a table. */
export function Chart({ title, axis, numbers, children }: Props) {
  const [isTable, setTable] = useState(false)
  const heading = useId()
  return (
    <figure className="chart" aria-labelledby={heading}>
      <figcaption>
        <h2 id={heading}>{title}</h2>
        <button type="button" className="button quiet small" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
          Table<span className="visually-hidden">: {title}</span>
        </button>
      </figcaption>
      <p className="soft axis-words">{axis}</p>
      {isTable ? <NumbersTable title={title} numbers={numbers} /> : children}
    </figure>
  )
}

function NumbersTable({ title, numbers: { heads, rows } }: { title: string; numbers: Numbers }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section className="table-frame numbers" aria-label={title} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {heads.map((head, column) => (
              <th key={head} scope="col" className={column === 0 ? undefined : 'number'}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([head, ...values]) => (
            <tr key={head}>
              <th scope="row">{head}</th>
              {values.map((value, column) => (
                <td key={heads[column + 1]} className="number">
                  {value}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
