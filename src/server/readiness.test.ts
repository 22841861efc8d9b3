import { expect, it } from 'vitest'
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

it('is not ready when one that is needed fails, and tells nothing of its inside', async () => {
  const { status, dependencies } = await checkReadiness({ database: failing, store: fine })
  expect([status, dependencies.database!.status, dependencies.store!.status]).toEqual(['not_ready', 'failing', 'ok'])
  expect(JSON.stringify(dependencies)).not.toContain('inner text')
})

it('is ready, degraded, without what may be lost', async () => {
  const { status, dependencies } = await checkReadiness({ database: fine, store: { ...failing, optional: true } })
  expect([status, dependencies.store!.status]).toEqual(['ready', 'degraded'])
})
