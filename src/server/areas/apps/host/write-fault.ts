import type { DeployRow } from '../deploys/store.ts'
import type { WriteLog } from '../model/write-log.ts'

/** Writes to the log of the app what went wrong with a deploy. */
export function writeFault(writeLog: WriteLog, deploy: Pick<DeployRow, 'app_id' | 'id'>, text: string): void {
  writeLog({ appId: deploy.app_id, deployId: deploy.id, source: 'system', level: 'error', text })
}
