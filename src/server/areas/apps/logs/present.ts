import type { LogRecord } from '#contract/apps/logs.ts'
import { levelName } from './level.ts'
import type { LineRow } from './store.ts'

export function presentLine({ id, at, level, source, deploy_id, text }: LineRow): LogRecord {
  return { id: String(id), at: at.toISOString(), level: levelName(level), source, deploy_id, text }
}
