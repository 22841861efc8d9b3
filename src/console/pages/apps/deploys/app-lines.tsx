import { useCall } from '#console/call/use-call.ts'
import { VisibleLines } from '#console/parts/text/visible-text.tsx'
import type { Deploy } from '#contract/apps/deploys.ts'
import { appLines, cutLine, hasFailedInApp, MAX_LINES, READ_LINES } from '#contract/apps/failed-deploy.ts'
import { searchLogs } from '#contract/apps/logs.ts'

/** Shows the last lines that the app of a failed deploy printed, because they say why it did not start. */
export function AppLines({ alias, deploy }: { alias: string; deploy: Deploy }) {
  const enabled = hasFailedInApp(deploy)
  const found = useCall(searchLogs, { alias, deploy_id: deploy.id, limit: READ_LINES }, { enabled })
  const lines = appLines(found.data?.items ?? [])
    .slice(-MAX_LINES)
    .map(cutLine)
  if (lines.length === 0) return null
  return (
    <section aria-label="Last lines of the app">
      <h3>Last lines of the app</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: text that scrolls must be reachable by keyboard */}
      <pre className="log-lines" tabIndex={0}>
        <VisibleLines lines={lines} />
      </pre>
    </section>
  )
}
