import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openMemoryStore } from '#lib/kv/kv.ts'
import { createLog } from '#lib/log/log.ts'
import { systemClock } from '#lib/time/clock.ts'
import { openTestDatabase } from '#test/database.ts'
import { freePort } from '#test/free-port.ts'
import { testEnvironment } from '#test/system.ts'
import { until } from '#test/until.ts'
import { readSettings, toConfig } from '../config/config.ts'
import { openResources } from './resources.ts'
import { startServices } from './start.ts'

let stack: AsyncDisposableStack
beforeEach(() => {
  stack = new AsyncDisposableStack()
})
afterEach(() => stack.disposeAsync())

/** Starts the services on a database that is prepared when the caller says so. */
async function begin() {
  const { db, url } = stack.use(await openTestDatabase())
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-services-'))
  stack.defer(() => rmSync(dataDir, { recursive: true, force: true }))
  const config = toConfig(readSettings(testEnvironment(url, dataDir)))
  const log = createLog('silent')
  const resources = await openResources(config, stack, { db, log, kv: stack.use(openMemoryStore(systemClock)) })
  const { promise: prepared, resolve, reject } = Promise.withResolvers<void>()
  const port = await freePort()
  const options = { ...config, port, prepared, urlOf: () => undefined }
  const starting = startServices(resources, stack, options)
  const status = async () => (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined))?.status
  return { starting, status, resolve, reject }
}

it('OP-03 services answer 503 while the database opens, and are ready once it is prepared', async () => {
  const { starting, status, resolve } = await begin()
  await until(async () => (await status()) === 503)
  resolve()
  await starting
  expect(await status()).toBe(200)
})

it('OP-03 a database that cannot be prepared fails the start with its reason', async () => {
  const { starting, reject } = await begin()
  reject(new Error('it is of a newer version'))
  await expect(starting).rejects.toThrow('it is of a newer version')
})
