import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useLive } from '#console/call/use-live.ts'
import { Fault } from '#console/parts/form/fault.tsx'
import { StatusChip } from '#console/parts/list/chip.tsx'
import { VisibleLines } from '#console/parts/text/visible-text.tsx'
import { listApps, readApp } from '#contract/apps/apps.ts'
import { type Deploy, followDeploy, listDeploys, readDeploy } from '#contract/apps/deploys.ts'
import { DEPLOY_FAILURES, DEPLOY_STATES } from './deploy-state.ts'
import '#console/styles/logs.css'

/** Follows a deploy: its state and the lines of its build and start as they are written. */
export function DeployProgress({ alias, deploy }: { alias: string; deploy: Deploy }) {
  const queries = useQueryClient()
  const { events, error, isOpen } = useLive(followDeploy, { alias, deploy_id: deploy.id })
  const current = events.findLast((event) => event.type === 'state')?.deploy ?? deploy
  const lines = events.filter((event) => event.type === 'log')
  useEffect(() => {
    if (isOpen) return
    for (const { name } of [listDeploys, readDeploy, readApp, listApps])
      void queries.invalidateQueries({ queryKey: [name] })
  }, [isOpen, queries])
  return (
    <section className="card progress" aria-label="Progress of the deploy">
      <h2 className="row">
        <StatusChip of={DEPLOY_STATES[current.state]} />
        <code>{deploy.id}</code>
      </h2>
      {current.failure_code !== null && (
        <p>
          {DEPLOY_FAILURES[current.failure_code]}. {current.failure_detail}
        </p>
      )}
      <Fault of={error} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: text that scrolls must be reachable by keyboard */}
      <pre className="log-lines" tabIndex={0}>
        {lines.length === 0 ? 'No lines yet.' : <VisibleLines lines={lines.map(({ text }) => text)} />}
      </pre>
    </section>
  )
}
