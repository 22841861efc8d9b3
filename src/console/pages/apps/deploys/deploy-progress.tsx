import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useLive } from '#console/call/use-live.ts'
import { Fault } from '#console/parts/form/fault.tsx'
import { StatusChip } from '#console/parts/list/chip.tsx'
import { Copy } from '#console/parts/text/copy.tsx'
import { VisibleLines, VisibleText } from '#console/parts/text/visible-text.tsx'
import { listApps, readApp } from '#contract/apps/apps.ts'
import { type Deploy, followDeploy, listDeploys, readDeploy } from '#contract/apps/deploys.ts'
import { failureLine, hasFailedInApp } from '#contract/apps/failed-deploy.ts'
import { AppLines, NOTHING_PRINTED } from './app-lines.tsx'
import { DEPLOY_FAILURES, DEPLOY_STATES, isUnderWay } from './deploy-state.ts'
import '#console/styles/logs.css'

/** Why there are no lines of the build and the start. */
function noLines(deploy: Deploy): string {
  if (deploy.failure_code !== null) return NOTHING_PRINTED
  return isUnderWay(deploy) ? 'No lines yet.' : 'No lines of its build and start are kept.'
}

/** Follows a deploy: its state and the lines of its build and start as they are written. */
export function DeployProgress({ alias, deploy }: { alias: string; deploy: Deploy }) {
  const queries = useQueryClient()
  const { events, error, isOpen } = useLive(followDeploy, { alias, deploy_id: deploy.id })
  const current = events.findLast((event) => event.type === 'state')?.deploy ?? deploy
  const hasFailed = current.failure_code !== null
  const lines = events
    .flatMap((event) => (event.type === 'log' ? [event.text] : []))
    // The sentence above says the same.
    .filter((text) => !hasFailed || text !== failureLine(current))
  useEffect(() => {
    if (isOpen) return
    for (const { name } of [listDeploys, readDeploy, readApp, listApps])
      void queries.invalidateQueries({ queryKey: [name] })
  }, [isOpen, queries])
  return (
    <section className="card progress" aria-label="Progress of the deploy">
      <div className="row">
        <h2>
          <StatusChip of={DEPLOY_STATES[current.state]} />
        </h2>
        <Copy text={deploy.id} />
      </div>
      {current.failure_code !== null && (
        <p>
          {DEPLOY_FAILURES[current.failure_code]}. <VisibleText line={current.failure_detail ?? ''} />
        </p>
      )}
      <Fault of={error} />
      {/* Lines of the app itself follow below. */}
      {(lines.length > 0 || !hasFailedInApp(current)) && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: text that scrolls must be reachable by keyboard
        <pre className="log-lines" tabIndex={0}>
          {lines.length === 0 ? noLines(current) : <VisibleLines lines={lines} />}
        </pre>
      )}
      <AppLines alias={alias} deploy={current} />
    </section>
  )
}
