import { useMemo } from 'react'
import { useCall } from '#console/call/use-call.ts'
import { usePages } from '#console/call/use-pages.ts'
import { LongTable } from '#console/parts/list/long-table.tsx'
import type { Column } from '#console/parts/list/table.tsx'
import { Loaded } from '#console/parts/page/loaded.tsx'
import { type ActivityRecord, listActivity } from '#contract/activity.ts'
import { toInput } from './activity-search.ts'
import { NoActivity } from './no-activity.tsx'
import type { ActivitySearch } from './read-activity-search.ts'

const PAGE_LIMIT = 100

type Props = { search: ActivitySearch; columns: readonly Column<ActivityRecord>[]; onClear: () => void }

/** The calls of a view, newest first. The first page refreshes itself; behind it, rows stay where they are. */
export function ActivityList({ search, columns, onClear }: Props) {
  // "Last 7 days" is counted from when the view was chosen, so that its pages fit together.
  const input = useMemo(() => ({ ...toInput(search, new Date()), limit: PAGE_LIMIT }), [search])
  const calls = usePages(listActivity, input, { isWatched: true })
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

type NewerProps = {
  input: ReturnType<typeof toInput>
  /** Id of the newest call in the list. */
  newest: string
  isShown: boolean
  onShow: () => void
}

/** Offers calls that were made since the list was read. They are not added by themselves, because rows would jump. */
function NewerCalls({ input, newest, isShown, onShow }: NewerProps) {
  const first = useCall(listActivity, { ...input, limit: 1 }, { enabled: isShown, poll: 'scheduled' })
  const id = first.data?.items[0]?.id
  if (!isShown || id === undefined || id === newest) return null
  return (
    <p role="status">
      <button type="button" className="button small" onClick={onShow}>
        Show newer calls
      </button>
    </p>
  )
}
