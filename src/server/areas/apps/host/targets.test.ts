import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newId } from '#edge/ids.ts'
import { sql } from '#lib/db/sql.ts'
import { testClock } from '#lib/time/clock.ts'
import { processUptime } from '#lib/work/lease-watch.ts'
import { runSlots } from '#lib/work/slots.ts'
import { openTestTarget, sourceOf } from '#test/apps/app-target.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { openClusterTarget } from '#test/kubernetes/cluster-target.ts'
import { startFakeApiServer } from '#test/kubernetes/fake-api-server.ts'
import { startFakeNodes } from '#test/kubernetes/fake-nodes.ts'
import { until } from '#test/until.ts'
import { queueDeploy } from '../deploys/store.ts'
import type { Target } from '../deploys/target.ts'
import { markDeleting } from '../manage/delete-store.ts'
import { hostJobs } from './jobs.ts'
import { createAppTraffic } from './traffic.ts'

const ORG = newId('org')
/** Time passes this much faster for hosts once an app has said that it is sick, and not at all before. */
const HASTE = 20
const FILES = {
  'app.js': `require('node:http').createServer((request, response) => {
    if (request.url === '/crash' && process.env.FRAGILE) process.exit(9)
    if (request.url === '/sick') console.log('sick')
    response.writeHead(request.url === '/sick' ? 500 : 200).end(process.env.NAME)
  }).listen(process.env.PORT, '127.0.0.1')`,
}

/** A target with the means to see what is left of an app. */
type Subject = AsyncDisposable & { readonly target: Target; readonly left: () => Promise<unknown[]> }

const TARGETS: [name: string, open: () => Promise<Subject>][] = [
  [
    'process',
    async () => {
      const { target, dataDir, ...opened } = openTestTarget({ bubblewrapPlaces: [] })
      const left = async () => ((await target.findRelease({ id: appId, orgId: ORG }, liveId)) ? [dataDir] : [])
      return { target, left, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() }
    },
  ],
  [
    'kubernetes',
    async () => {
      const stack = new AsyncDisposableStack()
      const cluster = stack.use(await startFakeApiServer())
      const onLine = (pod: string, container: string, text: string) =>
        cluster.writeLog(pod, container, { time: new Date().toISOString(), text })
      const nodes = stack.use(startFakeNodes(cluster, { files: FILES, onLine }))
      const target = stack.use(openClusterTarget(cluster, nodes.addressOf))
      const kinds = ['deployments', 'services', 'secrets', 'serviceaccounts', 'pods']
      const left = async () => kinds.flatMap((kind) => cluster.objects(kind))
      return { target, left, [Symbol.asyncDispose]: () => stack.disposeAsync() }
    },
  ],
]

let appId: string
let liveId: string
let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database?.[Symbol.asyncDispose]())

/** One table for both targets: the same apps end in the same states, for the same reasons, in the same words. */
describe.each(TARGETS)('MA-15 OP-02 a deploy on the target %s', (_name, open) => {
  const clock = testClock()
  const traffic = createAppTraffic()
  const errors: unknown[] = []
  const lines: string[] = []
  let subject: Subject
  let hosting: AsyncDisposable
  beforeEach(async () => {
    lines.length = 0
    appId = newId('app')
    await database.db.query(sql`
      insert into apps.apps (id, org_id, alias, name, host_label, start_command, health_path, state, created_by, created_at)
      values (${appId}, ${ORG}, 'shop', 'Shop', ${appId}, 'exec node app.js', '/', 'active', 'usr_1', ${clock.now()})`)
    subject = await open()
    hosting = await host()
  })
  afterEach(async () => {
    await hosting[Symbol.asyncDispose]()
    await subject[Symbol.asyncDispose]()
    await database.db.query(sql`delete from apps.apps`)
    expect(errors.splice(0).map((error) => (error instanceof Error ? error.stack : error))).toEqual([])
  })

  const host = () => {
    const { db } = database
    const jobs = hostJobs({
      db,
      target: subject.target,
      traffic,
      // Pauses are short, but leave an app that ended the time to give up its port.
      time: {
        now: () => clock.now(),
        delay: async (ms) => {
          if (lines.includes('sick')) clock.advance(ms * HASTE)
          await new Promise((resolve) => setTimeout(resolve, ms / 25))
        },
      },
      writeLog: ({ text }) => lines.push(text),
      logStored: async () => {},
      readFiles: () => sourceOf(FILES),
      readVariables: async () => ({ NAME: 'shop' }),
      onError: (error) => errors.push(error),
    })
    return runSlots([jobs], { db, uptime: processUptime, onError: (_, error) => errors.push(error) })
  }

  const deploy = async (settings: { build?: string; start?: string; health?: string } = {}) => {
    const { build = null, start = 'exec node app.js', health = '/' } = settings
    const id = newId('dep')
    const revision = newId('rev')
    await database.db.tx(async (tx) => {
      await tx.query(sql`
        update apps.apps set build_command = ${build}, start_command = ${start}, health_path = ${health} where id = ${appId}`)
      await tx.query(sql`
        insert into apps.revisions (id, app_id, org_id, digest, manifest, file_count, total_bytes, created_at)
        values (${revision}, ${appId}, ${ORG}, ${Buffer.from(revision)}, '[]', 0, 0, ${clock.now()})`)
      const row = { id, app_id: appId, org_id: ORG, revision_id: revision, requested_by: null, created_at: clock.now() }
      await queueDeploy(tx, { ...row, kind: 'deploy' })
    })
    return id
  }
  const readState = async (id: string) => {
    const [row] = await database.db.query<{
      state: string
      failure_code: string | null
      failure_detail: string | null
    }>(sql`
      select state, failure_code, failure_detail from apps.deploys where id = ${id}`)
    return row!
  }
  const settled = (id: string) =>
    until(async () => {
      const row = await readState(id)
      return ['live', 'failed'].includes(row.state) && row
    })
  const ask = async (path = '/') => {
    const response = await traffic.find(appId)?.fetch(new Request(`http://shop.test${path}`))
    return response?.text()
  }

  it('is live, serves again after svc was started again, and is gone after its deletion', async () => {
    liveId = await deploy({ build: 'echo built' })
    expect(await settled(liveId)).toEqual({ state: 'live', failure_code: null, failure_detail: null })
    expect(await ask()).toBe('shop')
    await hosting[Symbol.asyncDispose]()
    expect(await ask()).toBeUndefined()
    hosting = await host()
    await until(async () => (await ask().catch(() => undefined)) === 'shop')
    expect((await readState(liveId)).state).toBe('live')
    expect(await subject.left()).not.toEqual([])
    await database.db.tx((tx) => markDeleting(tx, appId))
    await until(async () => (await database.db.query(sql`select from apps.apps where id = ${appId}`)).length === 0)
    await until(async () => (await subject.left()).length === 0)
    expect(await ask()).toBeUndefined()
  })

  it('that fails leaves the former revision serving, and says why in the same words', async () => {
    liveId = await deploy()
    await settled(liveId)
    const failures = [
      [{ build: 'exit 7' }, 'BUILD_FAILED', 'The build command ended: exit code 7.'],
      [{ start: 'exit 3' }, 'START_FAILED', 'The app ended while starting: exit code 3.'],
      [{ health: '/sick' }, 'HEALTH_FAILED', 'The app was not healthy within 60 seconds: for /sick it answered 500.'],
    ] as const
    for (const [settings, failure_code, failure_detail] of failures) {
      const failing = await deploy(settings)
      expect(await settled(failing)).toEqual({ state: 'failed', failure_code, failure_detail })
    }
    expect((await readState(liveId)).state).toBe('live')
    expect(await ask()).toBe('shop')
  })

  it('that crashes again and again gives way to the former revision', async () => {
    const former = await deploy()
    await settled(former)
    const crashing = await deploy({ start: 'export FRAGILE=1; exec node app.js' })
    await settled(crashing)
    await until(async () => {
      await ask('/crash').catch(() => {})
      return (await readState(crashing)).state === 'failed'
    })
    expect(await readState(crashing)).toMatchObject({ failure_code: 'CRASH_LOOP' })
    expect(lines).toContain('The app ended (exit code 9) and is started again.')
    expect((await readState(former)).state).toBe('live')
    await until(async () => (await ask().catch(() => undefined)) === 'shop')
  })
})
