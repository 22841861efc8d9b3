import { useNavigate, useSearch } from '@tanstack/react-router'
import { AppPage } from '../app-page.tsx'
import { useAlias } from '../use-alias.ts'
import { FoundLogs } from './found-logs.tsx'
import { withWords } from './line-search.ts'
import { LiveLogs } from './live-logs.tsx'
import { LogFilters } from './log-filters.tsx'
import type { LogSearch } from './read-log-search.ts'

/** Logs of an app: searched, or followed as they are written. The filters are in the address. */
export function LogsPage() {
  const alias = useAlias()
  const search = useSearch({ from: '/apps/$alias/logs' })
  const navigate = useNavigate({ from: '/apps/$alias/logs' })
  const change = (next: LogSearch) => void navigate({ search: next, replace: true })
  const filter = (words: string) => change(withWords(search, words))
  return (
    <AppPage section="Logs">
      <LogFilters search={search} onChange={change} />
      {search.live ? (
        <LiveLogs alias={alias} search={search} onFilter={filter} />
      ) : (
        <FoundLogs alias={alias} search={search} onFilter={filter} />
      )}
    </AppPage>
  )
}
