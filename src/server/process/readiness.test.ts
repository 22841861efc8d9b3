import { expect, it } from 'vitest'
import { unavailableFrom } from '#lib/db/errors.ts'
import { CannotWrite } from '#lib/files/data-folder.ts'
import { checkReadiness } from './readiness.ts'

const fine = { ask: async () => 1 }
const failing = {
  ask: async () => {
    throw new Error('inner text')
  },
}

it('is ready when all answer, and names each', async () => {
  expect(await checkReadiness({ database: fine })).toEqual({
    status: 'ready',
    dependencies: { database: { status: 'ok', duration_ms: expect.any(Number) } },
  })
})

it('is not ready when a required check fails, and reveals no internals', async () => {
  const { status, dependencies } = await checkReadiness({ database: failing, store: fine })
  expect([status, dependencies.database!.status, dependencies.store!.status]).toEqual(['not_ready', 'failing', 'ok'])
  expect(JSON.stringify(dependencies)).not.toContain('inner text')
})

it('says why nothing can be written, without internals', async () => {
  const cause = Object.assign(new Error('inner text'), { code: '53100' })
  const { dependencies } = await checkReadiness({
    database: { ask: () => Promise.reject(unavailableFrom(cause)) },
    'data folder': { ask: () => Promise.reject(new CannotWrite('the disk is full: 3 MiB are free', cause)) },
  })
  expect([dependencies.database!.detail, dependencies['data folder']!.detail]).toEqual([
    'the disk is full; free some space',
    'the disk is full: 3 MiB are free',
  ])
})

it('is ready but degraded without an optional store', async () => {
  const { status, dependencies } = await checkReadiness({ database: fine, store: { ...failing, optional: true } })
  expect([status, dependencies.store!.status]).toEqual(['ready', 'degraded'])
})
