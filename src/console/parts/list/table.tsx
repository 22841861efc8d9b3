import { type ReactNode, useEffect, useRef, useState } from 'react'

export type Column<T> = {
  readonly head: string
  readonly cell: (row: T) => ReactNode
  /** Numbers stand to the right. */
  readonly isNumber?: boolean
  /** Left out on narrow screens, where the first columns matter most. */
  readonly isWide?: boolean
  /** Understood without its head, which stacked rows otherwise show before it. */
  readonly isPlain?: boolean
}

export type TableProps<T> = {
  /** The subject of the table, for screen readers. */
  caption: string
  columns: readonly Column<T>[]
  rows: readonly T[]
  keyOf: (row: T) => string
  /** On narrow screens the first column has a line of its own and the others stand below, so that no text is cut. */
  isStacked?: boolean
}

/** A table whose first column is the important one and is never cut. For more than 200 rows use `LongTable`. */
export function Table<T>({ caption, columns, rows, keyOf, isStacked = false }: TableProps<T>) {
  return (
    <TableFrame caption={caption} isStacked={isStacked}>
      <table>
        <TableHead caption={caption} columns={columns} />
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              <RowCells columns={columns} row={row} />
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  )
}

type FrameProps = { caption: string; isStacked: boolean; children: ReactNode }

/** Holds a table. One that is wider than its place scrolls, and is reached by keyboard only then. */
function TableFrame({ caption, isStacked, children }: FrameProps) {
  const frame = useRef<HTMLDivElement>(null)
  const [isScrolling, setScrolling] = useState(false)
  useEffect(() => {
    const element = frame.current!
    const observer = new ResizeObserver(() => setScrolling(element.scrollWidth > element.clientWidth))
    observer.observe(element)
    observer.observe(element.firstElementChild!)
    return () => observer.disconnect()
  }, [])
  return (
    <div
      ref={frame}
      className={isStacked ? 'table-frame stacked' : 'table-frame'}
      {...(isScrolling && { role: 'region', tabIndex: 0, 'aria-label': caption })}
    >
      {children}
    </div>
  )
}

/** The cells of a row, for both kinds of tables. */
export function RowCells<T>({ columns, row }: { columns: readonly Column<T>[]; row: T }) {
  return columns.map((column) => (
    <td key={column.head} className={classOf(column)} data-head={column.isPlain ? undefined : column.head}>
      {column.cell(row)}
    </td>
  ))
}

/** The caption and the heads of the columns, for both kinds of tables. */
export function TableHead<T>({ caption, columns }: { caption: string; columns: readonly Column<T>[] }) {
  return (
    <>
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
    </>
  )
}

function classOf({ isNumber, isWide }: Pick<Column<unknown>, 'isNumber' | 'isWide'>): string | undefined {
  return [isNumber && 'number', isWide && 'wide'].filter(Boolean).join(' ') || undefined
}
