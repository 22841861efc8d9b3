import { useVirtualizer } from '@tanstack/react-virtual'
import { memo, useEffect, useRef } from 'react'
import { type Column, RowCells, TableHead, type TableProps } from './table.tsx'
import { useIsNarrow } from './use-is-narrow.ts'

/** The heights of a row, as the style sheet sets them. */
const ROW_PX = 36
const STACKED_ROW_PX = 60
const SENTENCE_ROW_PX = 80
const OVERSCAN = 12

export type LongTableProps<T> = Omit<TableProps<T>, 'isStacked'> & {
  /** The first column has sentences, which take two lines on narrow screens. */
  hasSentences?: boolean
}

type Props<T> = LongTableProps<T> & {
  /** Loads the next page. Undefined when there is none. */
  loadMore: (() => void) | undefined
  isLoadingMore: boolean
  /** Hears whether the first row is in sight, whenever the list is scrolled. */
  onScroll?: (isAtTop: boolean) => void
}

/** A list of any length: only the rows in sight are in the page, and the next page is loaded when its end comes near. */
export function LongTable<T>(props: Props<T>) {
  const { caption, columns, rows, keyOf, hasSentences = false, loadMore, isLoadingMore, onScroll } = props
  const frame = useRef<HTMLDivElement>(null)
  const stackedPx = hasSentences ? SENTENCE_ROW_PX : STACKED_ROW_PX
  const rowPx = useIsNarrow() ? stackedPx : ROW_PX
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => rowPx,
    overscan: OVERSCAN,
    getItemKey: (index) => keyOf(rows[index]!),
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: sizes are kept until the height of rows changes
  useEffect(() => virtual.measure(), [virtual, rowPx])
  const shown = virtual.getVirtualItems()
  const last = shown.at(-1)?.index ?? 0
  useEffect(() => {
    if (loadMore && !isLoadingMore && last >= rows.length - OVERSCAN) loadMore()
  }, [last, rows.length, loadMore, isLoadingMore])
  const before = shown[0]?.start ?? 0
  const after = virtual.getTotalSize() - (shown.at(-1)?.end ?? 0)
  return (
    <section
      ref={frame}
      className={hasSentences ? 'table-frame long stacked sentences' : 'table-frame long stacked'}
      aria-label={caption}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
      tabIndex={0}
      onScroll={onScroll && ((event) => onScroll(event.currentTarget.scrollTop < rowPx))}
    >
      <table aria-rowcount={loadMore ? -1 : rows.length + 1}>
        <TableHead caption={caption} columns={columns} />
        <tbody>
          <Spacer height={before} columns={columns.length} />
          {shown.map(({ index, key }) => (
            <Row key={key} index={index} row={rows[index]!} columns={columns as readonly Column<unknown>[]} />
          ))}
          <Spacer height={after} columns={columns.length} />
        </tbody>
      </table>
      {isLoadingMore && <p className="soft more">Loading more…</p>}
    </section>
  )
}

type RowProps = { index: number; row: unknown; columns: readonly Column<unknown>[] }

/** Rows that stay in sight are not made again while the list is scrolled. */
const Row = memo(({ index, row, columns }: RowProps) => (
  <tr aria-rowindex={index + 2}>
    <RowCells columns={columns} row={row} />
  </tr>
))

function Spacer({ height, columns }: { height: number; columns: number }) {
  if (height <= 0) return null
  return (
    <tr className="spacer">
      <td colSpan={columns} style={{ height }} />
    </tr>
  )
}
