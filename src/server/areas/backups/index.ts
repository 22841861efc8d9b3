export { backupFault } from './check.ts'
export { backupLoop } from './loop.ts'
export { createBackupMetrics } from './metrics.ts'
export { backupStateRoute } from './show.ts'
