import { useMemo } from 'react'
import { usePages } from '#console/call/use-pages.ts'
import { Loaded } from '#console/parts/loaded.tsx'
import { LongTable } from '#console/parts/long-table.tsx'
import type { Column } from '#console/parts/table.tsx'
import { type ActivityRecord, listActivity } from '#contract/activity.ts'
import { toInput } from './activity-search.ts'
import { NewerCalls } from './newer-calls.tsx'
import { NoActivity } from './no-activity.tsx'
import type { ActivitySearch } from './read-activity-search.ts'

const PAGE_LIMIT = 100
const FRESH_MS = 5_000

type Props = { search: ActivitySearch; columns: readonly Column<ActivityRecord>[]; onClear: () => void }

/** The calls of a view, newest first. The first page refreshes itself; behind it, rows stay where they are. */
export function ActivityList({ search, columns, onClear }: Props) {
  // "Last 7 days" is counted from when the view was chosen, so that its pages fit together.
  const input = useMemo(() => ({ ...toInput(search, new Date()), limit: PAGE_LIMIT }), [search])
  const calls = usePages(listActivity, input, { freshMs: FRESH_MS })
  return (
    <Loaded of={calls}>
      {(rows) =>
        rows.length === 0 ? (
          <NoActivity search={search} onClear={onClear} />
        ) : (
          <>
            <NewerCalls input={input} newest={rows[0]!.id} isShown={calls.pageCount > 1} onShow={calls.startOver} />
            <LongTable
              caption="Calls, newest first"
              columns={columns}
              rows={rows}
              keyOf={({ id }) => id}
              loadMore={calls.loadMore}
              isLoadingMore={calls.isLoadingMore}
            />
          </>
        )
      }
    </Loaded>
  )
}
