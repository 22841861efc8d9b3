import type { Readable } from 'node:stream'
import { feedProgram } from '../copy/programs.ts'
import { findByPhysicalName } from '../model/store.ts'
import { openServers } from '../servers/open-servers.ts'
import type { DumpOptions } from './options.ts'
import { type RestoredDatabase, restoreDatabase } from './restore-database.ts'
import { findRestorable, placeAllOnPlatform } from './restore-store.ts'

/** Fills Postgres servers from a backup. */
export function createRestorer({ path, limitMs, ...options }: DumpOptions) {
  const { db, log, databaseUrl } = options
  const onError = (error: unknown) => log.warn({ error }, 'a Postgres server failed')
  const servers = openServers({ ...options, dataDir: '', embeddedMax: 0 }, onError)
  return {
    /** Fills the platform's own database, which is empty. */
    restorePlatform: (dump: Readable): Promise<void> => {
      const args = ['--no-owner', '--no-privileges', '--exit-on-error']
      return feedProgram({ path }, 'pg_restore', { target: { url: databaseUrl }, args }, dump)
    },
    /** Begins to restore a database whose row the restored platform has. */
    async restore(id: string): Promise<RestoredDatabase> {
      const managed = await findRestorable(db, id)
      if (!managed) throw new Error(`the archive has a database ${id} that its platform does not know`)
      const engine = servers.engineOf(managed)
      const deadline = AbortSignal.timeout(limitMs)
      const programs = { path, deadline, afterDeadline: '. Allow more with --max-hours' }
      return restoreDatabase({ engine: { ...engine, admin: engine.admin! }, managed, programs })
    },
    /** Removes a database that a restore made, with its roles. Its row must still be there. */
    async drop(physicalName: string): Promise<void> {
      const row = await findByPhysicalName(db, physicalName)
      if (row) await servers.engineOf(row).drop(row)
    },
    /** Makes one server out of several, for a restore that is thrown away. */
    placeAllOnPlatform: () => placeAllOnPlatform(db),
    async [Symbol.asyncDispose]() {
      await Promise.all(servers.all.map(({ engine }) => engine.close()))
    },
  }
}
