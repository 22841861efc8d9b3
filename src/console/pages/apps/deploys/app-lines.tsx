import { useCall } from '#console/call/use-call.ts'
import { VisibleLines } from '#console/parts/text/visible-text.tsx'
import type { Deploy } from '#contract/apps/deploys.ts'
import { errorAbove } from '#contract/apps/error-line.ts'
import { appLines, cutLine, hasFailedInApp, MAX_LINES, READ_LINES } from '#contract/apps/failed-deploy.ts'
import { searchLogs } from '#contract/apps/logs.ts'

export const NOTHING_PRINTED = 'Nothing was printed before it failed.'

/** Shows the error of the app of a failed deploy and the last lines that it printed, which say why it did not start. */
export function AppLines({ alias, deploy }: { alias: string; deploy: Deploy }) {
  const enabled = hasFailedInApp(deploy)
  const found = useCall(searchLogs, { alias, deploy_id: deploy.id, limit: READ_LINES }, { enabled })
  if (!found.data) return null
  const lines = appLines(found.data.items)
  if (lines.length === 0) return <p className="soft">{NOTHING_PRINTED}</p>
  const last = lines.slice(-MAX_LINES)
  return (
    <>
      <ErrorOfApp lines={errorAbove(lines, last).map(cutLine)} />
      <section aria-label="Last lines of the app">
        <h3>Last lines of the app</h3>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: text that scrolls must be reachable by keyboard */}
        <pre className="log-lines" tabIndex={0}>
          <VisibleLines lines={last.map(cutLine)} />
        </pre>
      </section>
    </>
  )
}

function ErrorOfApp({ lines }: { lines: readonly string[] }) {
  if (lines.length === 0) return null
  return (
    <section aria-label="Error of the app">
      <h3>Error of the app</h3>
      <pre className="log-lines error">
        <VisibleLines lines={lines} />
      </pre>
    </section>
  )
}
