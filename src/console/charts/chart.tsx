import { type ReactNode, useId, useState } from 'react'

type Numbers = { readonly heads: readonly string[]; readonly rows: readonly (readonly (string | number)[])[] }

export type ChartProps = {
  /** The question that the chart answers. */
  title: string
  /** Text of what the axis counts or measures. */
  axis: string
}

type Props = ChartProps & {
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
