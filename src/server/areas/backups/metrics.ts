import { createGauge } from '#lib/metrics/gauge.ts'
import type { Metrics } from '#lib/metrics/metrics.ts'

type BackupReport = { readonly goodAt: Date | null; readonly isOverdue: boolean }

/** Adds the metrics of scheduled backups to a process that makes them. Returns the function that sets them. */
export function createBackupMetrics(registry: Metrics['registry']): (report: BackupReport) => void {
  const setGoodAt = createGauge(
    registry,
    'svc_backup_good_timestamp_seconds',
    'When the last good backup of the schedule ended, 0 for never',
  )
  const setOverdue = createGauge(registry, 'svc_backup_overdue', '1 while the last good backup is too old')
  return ({ goodAt, isOverdue }) => {
    setGoodAt((goodAt?.getTime() ?? 0) / 1000)
    setOverdue(isOverdue ? 1 : 0)
  }
}
