import type { ComponentProps, ReactNode } from 'react'
import { Loaded } from '../page/loaded.tsx'
import { LongTable, type LongTableProps } from './long-table.tsx'

type Props<T> = Omit<LongTableProps<T>, 'rows'> & {
  of: ComponentProps<typeof Loaded<readonly T[]>>['of'] &
    Pick<ComponentProps<typeof LongTable<T>>, 'loadMore' | 'isLoadingMore'>
  empty: ReactNode
}

/** The table of a list of any length that is read from the service page by page. */
export function LongList<T>({ of, empty, ...table }: Props<T>) {
  return (
    <Loaded of={of}>
      {(rows) =>
        rows.length === 0 ? (
          empty
        ) : (
          <LongTable {...table} rows={rows} loadMore={of.loadMore} isLoadingMore={of.isLoadingMore} />
        )
      }
    </Loaded>
  )
}
