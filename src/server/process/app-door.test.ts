import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { createMetrics } from '#lib/metrics/metrics.ts'
import type { Resources } from '../compose/parts.ts'
import { openAppDoor } from './app-door.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'svc-port-'))
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

function resources(appsPort: number | undefined, warnings: unknown[]): Resources {
  const config = { apps: { port: appsPort }, dataDir, trustedProxies: [], secrets: { internalSecret: 'ab'.repeat(32) } }
  const log = { warn: (details: unknown, text: string) => warnings.push({ details, text }), error: () => {} }
  return { config, log, metrics: createMetrics({ processMetrics: false }) } as unknown as Resources
}
const services = ['worker'] as const

it('OP-09 apps answer at another port if the one after that of svc is in use, and the operator is told', async () => {
  const taken = createServer()
  await once(taken.listen(0, '127.0.0.1'), 'listening')
  const { port } = taken.address() as AddressInfo
  const warnings: unknown[] = []
  const options = { services, host: '127.0.0.1', port: port - 1, isPortChosen: true, leavesApps: () => false }
  const door = await openAppDoor(resources(undefined, warnings), options)
  expect(door!.port).not.toBe(port)
  // A second server on the data folder needs the same port.
  await door![Symbol.asyncDispose]()
  const text = 'the port for apps is in use; another one is taken: set SVC_APPS_PORT'
  expect(warnings).toEqual([{ details: { port }, text }])
  await expect(openAppDoor(resources(port, []), options)).rejects.toMatchObject({ code: 'EADDRINUSE' })
  taken.close()
})
