import { findAppOfDeploy } from '../deploys/store.ts'
import type { AppDeps } from '../model/deps.ts'
import type { WriteLog } from '../model/write-log.ts'
import { failDeploy } from './fail-deploy.ts'
import { writeFault } from './write-fault.ts'

/** Why the deploy of an app failed whose answers were shown to end the process that handles the bytes of all apps. */
export const HARMFUL = {
  code: 'HARMFUL_ANSWERS',
  detail:
    'Answers of the app ended the process that passes on requests to all apps, and ended it again when svc repeated ' +
    'them alone. The app stays stopped. Correct how it answers and deploy again.',
} as const
export const STOPPED_AS_HARMFUL = `Stopped: ${HARMFUL.detail}`

type Deps = Pick<AppDeps, 'db' | 'clock'> & { readonly writeLog: WriteLog }

/**
 * Fails a live deploy from a process that does not host it: requests to a pod are passed on by every process. Its host
 * is notified by the change of the row, and stops the app.
 */
export async function failHarmfulDeploy({ db, clock, writeLog }: Deps, deployId: string): Promise<void> {
  const app = await findAppOfDeploy(db, deployId)
  if (!app) return
  const deploy = { id: deployId, app_id: app.id, requested_by: app.requested_by }
  const hasFailed = await db.tx((tx) => failDeploy(tx, app, deploy, ['live'], { ...HARMFUL, at: clock.now() }))
  if (hasFailed) writeFault(writeLog, deploy, STOPPED_AS_HARMFUL)
}
