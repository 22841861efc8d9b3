import { expect, it } from 'vitest'
import type { Db } from '#lib/db/db.ts'
import { DatabaseUnavailable } from '#lib/db/errors.ts'
import { createReplica } from './replica.ts'

const ADDRESS = { host: 'standby', port: 5432, search: '' }

/** A primary and a standby whose positions a test sets; undefined means away. */
function setUp(maxLagSeconds: number) {
  const at = { now: 0, primary: 0 as number | undefined, standby: 0 as number | null | undefined }
  const answer = (read: () => number | null | undefined) =>
    ({
      query: async () => {
        const bytes = read()
        if (bytes === undefined) throw new DatabaseUnavailable('away', { cause: undefined })
        return [{ bytes: bytes === null ? null : String(bytes) }]
      },
    }) as unknown as Pick<Db, 'query'>
  const replica = createReplica({
    primary: answer(() => at.primary),
    standby: answer(() => at.standby),
    address: ADDRESS,
    maxLagSeconds,
    now: () => at.now,
  })
  /** Asks some times, so that what an earlier call found out in the background counts. */
  const isUsed = async () => {
    await replica.address()
    await new Promise(setImmediate)
    return (await replica.address()) !== undefined
  }
  return { at, replica, isUsed }
}

it('DS-01 a standby that has all of the primary is used, also while nobody writes', async () => {
  const { at, isUsed } = setUp(10)
  for (const now of [0, 5_000, 500_000]) {
    at.now = now
    expect(await isUsed()).toBe(true)
  }
})

it('DS-01 a standby that stays behind is used until the bound, and again when it has caught up', async () => {
  const { at, isUsed } = setUp(10)
  expect(await isUsed()).toBe(true)
  at.primary = 100
  at.now = 9_999
  expect(await isUsed()).toBe(true)
  at.now = 10_000
  expect(await isUsed()).toBe(false)
  at.standby = 100
  at.now = 11_000
  expect(await isUsed()).toBe(true)
})

it.each([
  ['away', undefined],
  ['promoted', null],
])('DS-01 a standby that is %s is not used beyond the bound', async (_, standby) => {
  const { at, isUsed } = setUp(10)
  expect(await isUsed()).toBe(true)
  at.standby = standby
  at.now = 10_000
  expect(await isUsed()).toBe(false)
})

it('DS-01 a standby is not trusted beyond the bound while the primary cannot be asked', async () => {
  const { at, isUsed } = setUp(10)
  expect(await isUsed()).toBe(true)
  at.primary = undefined
  at.now = 9_999
  expect(await isUsed()).toBe(true)
  at.now = 10_000
  expect(await isUsed()).toBe(false)
})

it('DS-01 a standby that a question could not reach is left alone for 5 seconds', async () => {
  const { at, isUsed, replica } = setUp(10)
  expect(await isUsed()).toBe(true)
  at.standby = undefined
  replica.failed(new DatabaseUnavailable('away', { cause: undefined }))
  expect(await isUsed()).toBe(false)
  at.standby = 0
  expect(await isUsed()).toBe(false)
  at.now = 5_000
  expect(await isUsed()).toBe(true)
})

it.each(['53200', '57P01', 'ECONNRESET'])(
  'OP-09 a question that fails with %s does not take a standby that answers from other tenants',
  async (code) => {
    const { isUsed, replica } = setUp(10)
    expect(await isUsed()).toBe(true)
    const cause = Object.assign(new Error('raised by a tenant'), { code })
    replica.failed(new DatabaseUnavailable('the database cannot answer now', { cause }))
    expect(await isUsed()).toBe(true)
  },
)
