import { useMemo } from 'react'
import { useCall } from '#console/call/use-call.ts'
import { usePages } from '#console/call/use-pages.ts'
import { Empty } from '#console/parts/list/empty.tsx'
import { Loaded } from '#console/parts/page/loaded.tsx'
import { Copy } from '#console/parts/text/copy.tsx'
import { searchLogs } from '#contract/apps/logs.ts'
import { DownloadLogs } from './download-logs.tsx'
import { LogHistogram } from './log-histogram.tsx'
import { timesOf } from './log-search.ts'
import { LogTable } from './log-table.tsx'
import type { LogSearch } from './read-log-search.ts'

type Props = { alias: string; search: LogSearch; onFilter: (words: string) => void }

export function FoundLogs({ alias, search, onFilter }: Props) {
  const { text, level, deploy } = search
  const times = useMemo(() => timesOf(search, new Date()), [search])
  const input = {
    alias,
    ...(text !== undefined && { text }),
    ...(level !== undefined && { level }),
    ...(deploy !== undefined && { deploy_id: deploy }),
    ...times,
  }
  const lines = usePages(searchLogs, { ...input, limit: 100 })
  const first = useCall(searchLogs, { ...input, limit: 1 })
  const isFiltered = text !== undefined || level !== undefined || deploy !== undefined
  return (
    <Loaded of={lines}>
      {(items) =>
        items.length === 0 ? (
          <NoLines alias={alias} isFiltered={isFiltered} />
        ) : (
          <>
            {first.data && first.data.dropped > 0 && (
              <p className="banner">
                {`${first.data.dropped} lines of this time were dropped under pressure: the app wrote faster than they could be stored.`}
              </p>
            )}
            <LogHistogram input={input} />
            <LogTable
              alias={alias}
              rows={items}
              marked={search.line}
              onFilter={onFilter}
              loadMore={lines.loadMore}
              isLoadingMore={lines.isLoadingMore}
            />
            <DownloadLogs alias={alias} input={input} />
          </>
        )
      }
    </Loaded>
  )
}

function NoLines({ alias, isFiltered }: { alias: string; isFiltered: boolean }) {
  return (
    <Empty title={isFiltered ? 'No line matches' : 'No lines in this time'}>
      <p>
        {isFiltered
          ? 'Search a longer time or fewer words.'
          : 'What the app prints is stored here. Follow it as it comes:'}
      </p>
      {!isFiltered && <Copy isBlock text={`svc apps logs ${alias} --follow`} />}
    </Empty>
  )
}
