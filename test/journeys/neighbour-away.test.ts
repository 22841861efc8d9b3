import { expect, it } from 'vitest'
import type { Readiness } from '#contract/system.ts'
import { freePort } from '#test/free-port.ts'
import { startSystem } from '#test/system.ts'

it('OP-02 a process is ready while a service it calls is away, so that services that call each other can all start', async () => {
  const env = {
    AUTH_SERVICE_URL: `http://127.0.0.1:${await freePort()}`,
    SVC_REDIRECT_BASE_URL: 'https://svc.example.com',
  }
  await using system = await startSystem({ env })
  const response = await fetch(`${system.url}/readyz`)
  const { status, dependencies } = (await response.json()) as Readiness
  expect([response.status, status]).toEqual([200, 'ready'])
  expect(dependencies['auth-service']).toMatchObject({ status: 'degraded', detail: 'failed; see the log' })
})
