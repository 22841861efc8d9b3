import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { sql } from '#lib/db/sql.ts'
import { startOwnPlatform } from '#test/databases/own-platform.ts'
import { mountSmallDisk } from '#test/databases/small-disk.ts'
import { needs, stores } from '#test/stores.ts'
import { onServer, withDatabase } from '#test/suite/global-setup.ts'
import { startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'

// Without tests that run, nothing would unmount it.
const disk = stores.postgres === undefined ? undefined : mountSmallDisk(96)
afterAll(() => disk?.[Symbol.dispose]())

needs('postgres')('Postgres on a disk of its own', () => {
  describe.skipIf(!disk)('that fills up (skipped: needs to mount one)', () => {
    it('OP-03 fails readiness while rows cannot be added, although rows can be changed in place', async () => {
      await using platform = await startOwnPlatform({
        prepare: async ({ url }) => {
          const folder = join(disk!.path, 'space')
          mkdirSync(folder)
          if (process.getuid?.() === 0) execFileSync('chown', ['postgres', folder])
          await onServer(url, `create tablespace small location '${folder}'`)
          await onServer(url, 'create database platform tablespace small')
          return withDatabase(url, 'platform')
        },
      })
      const { db } = platform
      await using system = await startSystem({ on: { db, databaseUrl: platform.url } })
      const readiness = async () => {
        const response = await fetch(`${system.url}/readyz`)
        const { dependencies } = (await response.json()) as { dependencies: Record<string, { detail?: string }> }
        return [response.status, dependencies.database?.detail]
      }
      await db.query(sql`create table public.things (filler text)`)
      await until(async () => (await readiness())[0] === 200)
      disk!.fill()
      const add = sql`insert into public.things select md5(n::text) from generate_series(1, 100000) as n`
      await expect(db.query(add)).rejects.toMatchObject({ writeFault: 'the disk is full; free some space' })
      await db.query(sql`update svc.data_keys set first_used_at = first_used_at`)
      expect(await readiness()).toEqual([503, 'the disk is full; free some space'])
      expect(await readiness()).toEqual([503, 'the disk is full; free some space'])
      disk!.free()
      await until(async () => (await readiness())[0] === 200)
      await db.query(add)
    })
  })
})
