import { afterAll, beforeAll, expect, it } from 'vitest'
import { adminCreateOrg } from '#contract/auth/auth.ts'
import { needs, stores } from '#test/stores.ts'
import { onServer } from '#test/suite/global-setup.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'

needs('postgres')('OP-02 a Postgres that becomes read-only', () => {
  let system: System
  beforeAll(async () => {
    system = await startSystem()
  })
  afterAll(() => system?.[Symbol.asyncDispose]())

  const readiness = async () => {
    const response = await fetch(`${system.url}/readyz`)
    return { httpStatus: response.status, ...((await response.json()) as object) }
  }
  const alter = async (change: string) => {
    const name = new URL(system.databaseUrl!).pathname.slice(1)
    await onServer(stores.postgres!, `alter database ${name} ${change}`)
    await onServer(stores.postgres!, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`)
  }

  it('is 503 for writes and not ready, with the reason, until it can be written again', async () => {
    const words = 'the database is read-only: it is a standby, or is set to read-only'
    await alter('set default_transaction_read_only = on')
    await until(async () => (await readiness()).httpStatus === 503)
    await until(async () => JSON.stringify(await readiness()).includes(words))
    await expect(system.operator.call(adminCreateOrg, { name: 'No' })).rejects.toMatchObject({
      status: 503,
      message: `Nothing can be saved now: ${words}. Try again later.`,
    })
    await alter('reset default_transaction_read_only')
    await until(async () => (await readiness()).httpStatus === 200)
    expect(await system.operator.call(adminCreateOrg, { name: 'Yes' })).toMatchObject({ slug: 'yes' })
  })
})
