import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { createBothWays, type McpMessage } from '#test/agents/mcp-both-ways.ts'
import { openTestDatabase } from '#test/database.ts'
import { type System, startSystem } from '#test/system.ts'
import { startProxy } from './proxy.ts'
import { failuresOf, runConformance } from './run.ts'
import { serveFixture } from './serve-fixture.ts'

type Exceptions = Record<string, string[]>
type Expected = Record<'endpoints' | 'fixture', Record<string, Exceptions>> & {
  notifications: Record<string, string[]>
}
const EXPECTED = parse(readFileSync(join(import.meta.dirname, 'expected.yml'), 'utf8')) as Expected
const REVISIONS = ['2026-07-28', '2025-11-25'] as const

/** Expects that exactly the listed scenarios fail, without those in `passing`. */
async function check(
  url: string,
  revision: (typeof REVISIONS)[number],
  expected: Exceptions,
  passing: readonly string[] = [],
): Promise<void> {
  const results = await runConformance(['server', '--url', url, '--requirements', revision])
  expect(results.scenarios.size, results.output).toBe(revision === '2026-07-28' ? 50 : 33)
  const failing = Object.values(expected).flat().sort()
  expect(failuresOf(results)).toEqual(failing.filter((scenario) => !passing.includes(scenario)))
}

describe('DS-23 NO-13 the endpoints conform to the protocol', () => {
  let system: System
  let proxy: Awaited<ReturnType<typeof startProxy>>
  beforeAll(async () => {
    system = await startSystem()
    proxy = await startProxy(system.url, (await system.member('viewer')).token)
  })
  afterAll(async () => {
    await proxy?.[Symbol.asyncDispose]()
    await system?.[Symbol.asyncDispose]()
  })

  describe.each(REVISIONS)('of %s', (revision) => {
    it.each(['platform', 'notifications'])('%s', async (endpoint) => {
      const passing = endpoint === 'notifications' ? EXPECTED.notifications[revision] : []
      await check(`${proxy.url}/mcp/${endpoint}`, revision, EXPECTED.endpoints[revision]!, passing)
    })
  })

  it('and answer each message of the suite as the library does, with it or without', async () => {
    const both = createBothWays()
    const isAnswered = ({ method, body }: McpMessage) => method !== 'GET' && !body.includes('subscriptions/listen')
    const messages = proxy.seen.filter(isAnswered)
    expect(messages.length).toBeGreaterThan(100)
    for (const message of messages) {
      const { byLibrary, first, again } = await both.answers(message)
      expect([first, again], message.body).toEqual([byLibrary, byLibrary])
    }
    expect(both.plainCalls()).toBeGreaterThan(10)
  })
})

describe('DS-23 the transport conforms where the suite needs tools of its own', () => {
  const stack = new AsyncDisposableStack()
  let url: string
  beforeAll(async () => {
    const { db } = stack.use(await openTestDatabase())
    url = `${stack.use(await serveFixture(db)).url}/mcp/platform`
  })
  afterAll(() => stack.disposeAsync())

  it.each(REVISIONS)('of %s', async (revision) => {
    const proxy = await startProxy(url, 'anybody')
    await using _ = proxy
    await check(`${proxy.url}/mcp/platform`, revision, EXPECTED.fixture[revision]!)
  })
})
