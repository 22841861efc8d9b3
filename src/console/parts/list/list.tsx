import type { ReactNode } from 'react'
import { Loaded } from '../page/loaded.tsx'
import { More } from './more.tsx'
import { Table, type TableProps } from './table.tsx'

type Rows<T> = readonly T[] | { readonly items: readonly T[] }

type Props<T> = Omit<TableProps<T>, 'rows'> & {
  /** A read of a list, or of one page after the other. */
  of: {
    readonly data: Rows<T> | undefined
    readonly error: unknown
    readonly refetch: () => unknown
    readonly loadMore?: (() => void) | undefined
    readonly isLoadingMore?: boolean
  }
  empty: ReactNode
}

/** The table of a list that is read from the service. */
export function List<T>({ of, empty, ...table }: Props<T>) {
  return (
    <Loaded of={of}>
      {(data) => {
        const rows = 'items' in data ? data.items : data
        if (rows.length === 0) return empty
        return (
          <>
            <Table {...table} rows={rows} />
            <More of={{ loadMore: of.loadMore, isLoadingMore: of.isLoadingMore === true }} />
          </>
        )
      }}
    </Loaded>
  )
}
