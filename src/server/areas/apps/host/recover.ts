import type { Lease } from '#lib/work/lease.ts'
import { afterInterruption } from '../deploys/rules.ts'
import { type DeployRow, type HostedApp, moveDeploy, returnToQueue } from '../deploys/store.ts'
import { asHost } from './as-host.ts'
import type { HostDeps } from './deps.ts'
import { failDeploy } from './fail-deploy.ts'

const UNDER_WAY = ['building', 'starting'] as const

/**
 * Settles a deploy that was under way and that nobody works at: it waits again, or has failed. Returns whether there was
 * one among the deploys of the app.
 */
export async function recoverDeploy(
  { db, time }: Pick<HostDeps, 'db' | 'time'>,
  app: HostedApp,
  lease: Lease,
  deploys: readonly DeployRow[],
): Promise<boolean> {
  const interrupted = deploys.find(({ state }) => state === 'building' || state === 'starting')
  if (!interrupted) return false
  const isNewerQueued = deploys.some(({ state }) => state === 'queued')
  await asHost(db, lease, async (tx) => {
    const at = time.now()
    switch (afterInterruption(interrupted.attempt, isNewerQueued)) {
      case 'superseded':
        await moveDeploy(tx, interrupted.id, UNDER_WAY, { state: 'superseded', ended_at: at })
        break
      case 'queued':
        await returnToQueue(tx, interrupted.id, { countsAttempt: true })
        break
      case 'failed':
        await failDeploy(tx, app, interrupted, UNDER_WAY, {
          code: 'INTERRUPTED',
          detail: 'svc stopped twice while this deploy was under way. Deploy again.',
          at,
        })
    }
  })
  return true
}
