import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { buildFolder, rootFolder } from '#lib/files/bundle.ts'
import { startProcess } from '#lib/processes/start-process.ts'
import { cronFault } from '#lib/time/cron.ts'
import type { Loop } from '#lib/work/loop.ts'
import { backupFault, backupLoop, createBackupMetrics } from '../areas/backups/index.ts'
import { ConfigError, environment } from '../config/reader.ts'
import type { Service, ServiceParts } from './parts.ts'

type NewBackup = { place: string; bytes: number; is_verified: boolean }

/** The program that makes a backup, in a process of its own: it needs time and memory that requests should not wait for. */
const PROGRAM = buildFolder ? join(buildFolder, 'svc-server.js') : join(rootFolder, 'src/server/svc-server.ts')
const MAX_FAULT_CHARS = 2_000

/** The loop that makes backups, where the operator named a place for them. */
export function composeBackups({ config, metrics: { registry }, ...parts }: ServiceParts): Loop[] {
  if (!config.backup) return []
  const { schedule } = config.backup
  const fault = cronFault(schedule.cron)
  if (fault !== undefined) throw new ConfigError([`SVC_BACKUP_CRON: ${fault}`])
  const report = createBackupMetrics(registry)
  return [backupLoop({ ...parts, schedule, report, backUp: (_, signal) => runScheduled(signal) })]
}

/** Names a missing backup in the readiness. The process stays ready. */
export function backupChecks({ config, db, clock }: ServiceParts): NonNullable<Service['checks']> {
  const { backup } = config
  if (!backup) return {}
  const ask = async () => {
    const fault = await backupFault(db, backup.schedule, clock.now())
    if (fault !== undefined) throw new Error(fault)
  }
  return { backups: { ask, optional: true } }
}

async function runScheduled(signal: AbortSignal): Promise<NewBackup> {
  const child = startProcess(process.execPath, [PROGRAM, 'backup', 'scheduled'], {
    env: environment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const end = () => child.kill('SIGTERM')
  signal.addEventListener('abort', end, { once: true })
  if (signal.aborted) end()
  try {
    const [output, errors, [code]] = await Promise.all([text(child.stdout!), text(child.stderr!), once(child, 'close')])
    const last = output.trimEnd().split('\n').at(-1) ?? ''
    if (code !== 0) throw new Error(errors.trim().slice(-MAX_FAULT_CHARS) || `the backup ended with ${code}`)
    return JSON.parse(last) as NewBackup
  } finally {
    signal.removeEventListener('abort', end)
  }
}
