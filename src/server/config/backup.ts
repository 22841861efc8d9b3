import type { EnvironmentReader } from './reader.ts'

const DEFAULT_CRON = '15 3 * * *'
const DEFAULT_KEPT = 7
const CRON = /^\S+( +\S+){4}$/
const PUBLIC_KEY = /^age1[0-9a-z]{58}$/

/** Returns undefined while no backups are scheduled, which is so without a place for them. */
export function readBackup(read: EnvironmentReader) {
  /** The folder or the `s3://bucket/prefix` that backups are written to. */
  const place = read.text('SVC_BACKUP_TO')
  /** Times of backups, as cron in UTC. */
  const cron = read.text('SVC_BACKUP_CRON') ?? DEFAULT_CRON
  /** How many backups stay. */
  const keep = read.integer('SVC_BACKUP_KEEP', DEFAULT_KEPT, 1, 10_000)
  /** Those who can open the backups. A passphrase would lie where the backups are made. */
  const publicKeys = read.list('SVC_BACKUP_PUBLIC_KEYS')
  // Read by the commands of svc-server only; looked up here so that they count as settings.
  for (const name of ['SVC_BACKUP_PASSPHRASE', 'SVC_BACKUP_PRIVATE_KEY', 'SVC_BACKUP_VERIFY_URL']) read.text(name)
  if (publicKeys.some((key) => !PUBLIC_KEY.test(key))) {
    read.fault('SVC_BACKUP_PUBLIC_KEYS must be public keys, comma-separated: svc-server backup key makes a pair')
  }
  // Whether such times exist is found by the worker: the library that knows takes time to load.
  if (!CRON.test(cron)) read.fault('SVC_BACKUP_CRON: A schedule has five fields, for example 0 3 * * *.')
  if (place === undefined) return undefined
  if (publicKeys.length === 0) {
    read.fault('SVC_BACKUP_PUBLIC_KEYS is required with SVC_BACKUP_TO: svc-server backup key makes a pair')
  }
  return Object.freeze({ place, keep, publicKeys, schedule: { cron, timezone: 'UTC' } })
}
