import type { ReactNode } from 'react'

export type Column<T> = {
  readonly head: string
  readonly cell: (row: T) => ReactNode
  /** Numbers stand to the right. */
  readonly isNumber?: boolean
  /** Left out on narrow screens, where the first columns matter most. */
  readonly isWide?: boolean
}

type Props<T> = {
  /** Says what the table lists, to screen readers. */
  caption: string
  columns: readonly Column<T>[]
  rows: readonly T[]
  keyOf: (row: T) => string
}

/** A table whose first column is the important one and is never cut. For more than 200 rows use `LongTable`. */
export function Table<T>({ caption, columns, rows, keyOf }: Props<T>) {
  return (
    <div className="table-frame">
      <table>
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.head} scope="col" className={classOf(column)}>
                {column.head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column) => (
                <td key={column.head} className={classOf(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

export function classOf({ isNumber, isWide }: Pick<Column<unknown>, 'isNumber' | 'isWide'>): string | undefined {
  return [isNumber && 'number', isWide && 'wide'].filter(Boolean).join(' ') || undefined
}
