import type { Querier } from '#lib/db/db.ts'
import type { DeployLogs } from '../deploys/follow.ts'
import { findDeployLines, LOGS_CHANNEL } from './store.ts'

/** The lines of deploys, for those who follow one. */
export function deployLogs(db: Querier): DeployLogs {
  return {
    channel: LOGS_CHANNEL,
    after: async (deployId, lastId, limit) => {
      const rows = await findDeployLines(db, deployId, Number(lastId ?? 0) || 0, limit)
      return rows.map(({ id, at, text }) => ({ id: String(id), at, text }))
    },
  }
}
