import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { createSealer } from '#lib/crypto/seal.ts'
import { sql } from '#lib/db/sql.ts'
import { systemClock } from '#lib/time/clock.ts'
import { openTestDatabase } from '#test/database.ts'
import { createHostDeps } from './create-host-deps.ts'

it('an app is told its alias, so that a worker in it can say which app it serves', async () => {
  await using database = await openTestDatabase()
  const { db } = database
  await db.query(sql`
    insert into apps.apps (id, org_id, alias, name, host_label, health_path, state, created_by, created_at)
    values ('app_1', 'org_1', 'shop', 'Shop', 'shop--acme', '/', 'active', 'usr_1', now())`)
  const sealer = createSealer([randomBytes(32).toString('hex')])
  const { readVariables } = createHostDeps({ db, clock: systemClock, sealer } as never, {} as never)
  expect(await readVariables('app_1')).toEqual({ SVC_APP: 'shop' })
})
