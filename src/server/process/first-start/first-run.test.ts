import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { adminCreateOrg, adminCreateToken } from '#contract/auth/auth.ts'
import { createClient } from '#contract/core/client.ts'
import { querySource } from '#contract/data-sources/sources.ts'
import { openMemoryStore } from '#lib/kv/kv.ts'
import { createLog } from '#lib/log/log.ts'
import { systemClock } from '#lib/time/clock.ts'
import { openTestDatabase } from '#test/database.ts'
import { testEnvironment } from '#test/system.ts'
import { usesModel } from '../../areas/data-sources/store.ts'
import type { Resources } from '../../compose/parts.ts'
import { readSettings, toConfig } from '../../config/config.ts'
import { openResources } from '../resources.ts'
import { type Running, startServices } from '../start.ts'
import { type FirstRun, firstRun, pendingExample } from './first-run.ts'

const MODEL = 'builtin/all-minilm-l6-v2'
const QUESTION = { id: 'db_handbook', query: 'my laptop was stolen, what now?', top_k: 1 }

describe('OP-01 the example of a first start', () => {
  const stack = new AsyncDisposableStack()
  let resources: Resources
  let running: Running
  let first: FirstRun
  const logs: string[] = []

  beforeAll(async () => {
    const { db, url } = stack.use(await openTestDatabase())
    const dataDir = mkdtempSync(join(tmpdir(), 'svc-first-'))
    stack.defer(() => rmSync(dataDir, { recursive: true, force: true }))
    const config = toConfig(readSettings(testEnvironment(url, dataDir)))
    const log = createLog('info', { write: (line: string) => void logs.push(line) })
    resources = await openResources(config, stack, { db, log, kv: stack.use(openMemoryStore(systemClock)) })
    running = await startServices(resources, stack, { ...config, urlOf: (name) => config.urls[name] })
    const { file } = await firstRun(resources, running.url)
    first = JSON.parse(readFileSync(file, 'utf8')) as FirstRun
  })
  afterAll(() => stack.disposeAsync())

  const clientOf = (token: string) =>
    createClient({ baseUrl: running.url, fetch, headers: () => ({ authorization: `Bearer ${token}` }) })

  it('a question says that it is still being created, until it is made and answers', async () => {
    const example = pendingExample(resources, running)!
    const owner = clientOf(first.api_key)
    await expect(owner.call(querySource, QUESTION)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: 'This data source is still being created. Try again in 5 seconds.',
      retryAfterSeconds: 5,
    })
    const lines = logs.filter((line) => line.includes('still being created'))
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
      expect.objectContaining({ level: 'warn', operation: 'data-sources.query', status: 503 }),
    ])
    expect(lines.join('')).not.toContain('stack')
    await expect(owner.call(querySource, { ...QUESTION, id: 'db_other' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(await usesModel(resources.db, MODEL)).toBe(false)
    await example.make(new AbortController().signal)
    expect((await owner.call(querySource, QUESTION)).results[0]!.id).toBe('lost-devices')
    expect(await usesModel(resources.db, MODEL)).toBe(true)
    expect(await usesModel(resources.db, 'builtin/other')).toBe(false)
    expect(pendingExample(resources, running)).toBeUndefined()
  })

  it('another organization is not told of it', async () => {
    resources.unfinishedSources.add(`${first.org_id} db_pending`)
    const operator = clientOf(first.operator_token)
    const { id: org_id } = await operator.call(adminCreateOrg, { name: 'Other' })
    const member = { org_id, email: 'other@example.com', role: 'owner', name: 'test' } as const
    const { token } = await operator.call(adminCreateToken, member)
    const pending = { ...QUESTION, id: 'db_pending' }
    await expect(clientOf(token).call(querySource, pending)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(clientOf(first.api_key).call(querySource, pending)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })
})
