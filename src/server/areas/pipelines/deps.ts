import type { AppDirectory } from '#edge/apps.ts'
import type { Clock } from '#lib/clock.ts'
import type { Sealer } from '#lib/crypto/seal.ts'
import type { Db } from '#lib/db/db.ts'

export type PipelineDeps = {
  readonly db: Db
  readonly clock: Clock
  readonly sealer: Sealer
  readonly apps: Pick<AppDirectory, 'find' | 'names'>
  readonly onError: (error: unknown) => void
}
