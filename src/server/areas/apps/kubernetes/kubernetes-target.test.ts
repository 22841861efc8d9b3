import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sourceOf } from '#test/apps/app-target.ts'
import { CLUSTER_RULES } from '#test/kubernetes/cluster-rules.ts'
import { openClusterTarget } from '#test/kubernetes/cluster-target.ts'
import { type FakeApiServer, startFakeApiServer } from '#test/kubernetes/fake-api-server.ts'
import { type FakeNodes, startFakeNodes } from '#test/kubernetes/fake-nodes.ts'
import { until } from '#test/until.ts'
import type { DeployFacts } from '../deploys/target.ts'

const FILES = {
  'app.js': `require('node:http').createServer((request, response) => {
    console.log(request.url)
    response.end('hello')
  }).listen(process.env.PORT, '127.0.0.1', () => console.log('ready'))`,
}
const APP = { id: 'app_1', orgId: 'org_1' }
const NAMESPACE = 'svc-org-1'

describe('OP-02 MA-15 an app in a cluster', () => {
  let stack: AsyncDisposableStack
  let cluster: FakeApiServer
  let nodes: FakeNodes
  const statuses: object[] = []
  const lines: string[] = []
  const { signal } = new AbortController()
  beforeEach(async () => {
    stack = new AsyncDisposableStack()
    cluster = stack.use(await startFakeApiServer())
    lines.length = 0
    let written = 0
    const onLine = (pod: string, container: string, text: string) => {
      const time = new Date(Date.UTC(2026, 0, 1) + written++).toISOString()
      cluster.writeLog(pod, container, { time, text })
    }
    nodes = stack.use(startFakeNodes(cluster, { files: FILES, onLine, statuses }))
  })
  afterEach(() => stack.disposeAsync())

  const open = () => openClusterTarget(cluster, nodes.addressOf)
  const facts = (deployId: string, change: Partial<DeployFacts> = {}) => ({
    orgId: APP.orgId,
    appId: APP.id,
    deployId,
    revisionId: 'rev_1',
    buildCommand: null,
    healthPath: '/',
    startCommand: 'exec node app.js',
    ...change,
  })
  type Opened = ReturnType<typeof open>
  const build = (target: Opened, deploy: DeployFacts, during = signal) => {
    const onLine = ({ text }: { text: string }) => void lines.push(`build: ${text}`)
    return target.build({ deploy, files: sourceOf({}), environment: {}, onLine, signal: during })
  }
  const start = (target: Opened, deployId: string, lastLineAt?: Date) =>
    target.start({
      deploy: { ...facts(deployId), startCommand: 'exec node app.js' },
      release: { deployId },
      environment: {},
      onHarmful: () => {},
      signal: new AbortController().signal,
      onLine: ({ text, at }) => void lines.push(`app: ${text} ${at?.getTime()}`),
      fence: 1,
      storedLines: async () => lastLineAt && { at: lastLineAt, count: 1 },
    })
  const texts = () => lines.map((line) => line.replace(/ \d+$/, ''))
  const ask = async (app: { fetch: (request: Request) => Promise<Response> }, path: string) =>
    (await app.fetch(new Request(`http://shop.test${path}`))).text()

  it('is built, started and asked, and its lines are read as they are written', async () => {
    await using target = open()
    const built = await build(target, facts('dep_1', { buildCommand: 'echo building; echo done' }))
    expect(built).toEqual({ ok: true, release: { deployId: 'dep_1' } })
    expect(lines).toEqual(['build: building', 'build: done'])
    const app = await start(target, 'dep_1')
    await until(() => texts().includes('app: ready'))
    expect(await ask(app, '/a')).toBe('hello')
    await until(() => texts().includes('app: /a'))
    // The stream breaks, and the API server is away for a while.
    await cluster.stop()
    expect(await ask(app, '/b')).toBe('hello')
    await cluster.start()
    await until(() => texts().includes('app: /b'))
    expect(texts()).toEqual(['build: building', 'build: done', 'app: ready', 'app: /a', 'app: /b'])
    await app.stop(60_000)
    await until(() => nodes.running().length === 0)
    expect(['deployments', 'services', 'secrets'].flatMap((kind) => cluster.objects(kind))).toEqual([])
    expect(await app.ended).toEqual({ description: 'its pod was removed' })
  })

  it('goes on while svc restarts, and the next process finds it and reads on without doubles', async () => {
    const first = open()
    await build(first, facts('dep_1'))
    const app = await start(first, 'dep_1')
    await until(() => texts().includes('app: ready'))
    await app.leave(0)
    await first[Symbol.asyncDispose]()
    expect(await app.ended).toEqual({ description: 'stopped' })
    const writes = cluster.writes.filter(({ path }) => !path.includes('/pods'))
    await using second = open()
    expect(await second.findRelease(APP, 'dep_1')).toEqual({ deployId: 'dep_1' })
    await second.endOrphans({ ...APP, fence: 1 }, [{ id: 'dep_1', isLive: true }])
    const lastAt = new Date(Number(lines.at(-1)!.split(' ').at(-1)))
    const again = await start(second, 'dep_1', lastAt)
    expect(await ask(again, '/again')).toBe('hello')
    await until(() => texts().includes('app: /again'))
    expect(texts()).toEqual(['app: ready', 'app: /again'])
    expect(cluster.writes.filter(({ path }) => !path.includes('/pods'))).toEqual(writes)
  })

  it('is made again when somebody removed its Deployment by hand', async () => {
    await using target = open()
    await build(target, facts('dep_1'))
    const app = await start(target, 'dep_1')
    await cluster.removeByHand('deployments', NAMESPACE, 'dep-1')
    expect(await app.ended).toEqual({ description: 'its pod was removed' })
    const again = await start(target, 'dep_1')
    await until(() => ask(again, '/').catch(() => undefined))
  })

  it.each([
    [
      { initContainerStatuses: [{ name: 'fetch', image: 'svc:1', state: waiting('ImagePullBackOff', 'not found') }] },
      'Kubernetes cannot pull the image svc:1 (ImagePullBackOff): not found. The operator must make it available.',
    ],
    [
      {
        initContainerStatuses: [{ name: 'fetch', image: 'svc:1', state: waiting('CreateContainerError', 'no space') }],
      },
      'Kubernetes cannot create the container (CreateContainerError): no space.',
    ],
  ])('whose rollout fails leaves nothing behind, and says why: %#', async (status, detail) => {
    await using target = open()
    statuses.push(status)
    expect(await build(target, facts('dep_1'))).toEqual({ ok: false, code: 'START_FAILED', detail })
    await until(() =>
      ['deployments', 'services', 'secrets', 'pods'].every((kind) => cluster.objects(kind).length === 0),
    )
  })

  it('whose deploy is aborted is left to the process that begins it again', async () => {
    await using target = open()
    statuses.push({})
    const aborting = new AbortController()
    const building = build(target, facts('dep_1'), aborting.signal)
    await until(() => cluster.objects('pods').length === 1)
    aborting.abort(new Error('svc stops'))
    await expect(building).rejects.toThrow('svc stops')
    expect(cluster.objects('deployments')).toHaveLength(1)
    await target.endOrphans({ ...APP, fence: 1 }, [])
    expect(cluster.objects('deployments')).toEqual([])
  })

  it('AU-15 uses no right in the cluster that the chart does not grant', async () => {
    await using target = open()
    statuses.push({})
    const aborting = new AbortController()
    const waitingBuild = build(target, facts('dep_0'), aborting.signal)
    await until(() => cluster.askedBySvc.has('watch deployments'))
    aborting.abort(new Error('svc stops'))
    await expect(waitingBuild).rejects.toThrow('svc stops')
    await build(target, facts('dep_1'))
    const app = await start(target, 'dep_1')
    await until(() => texts().includes('app: ready'))
    await app.stop(60_000)
    await target.prune(APP, [])
    const granted = CLUSTER_RULES.flatMap(({ resources, verbs }) =>
      resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}`)),
    )
    const asked = [...cluster.askedBySvc].filter((each) => !granted.includes(each))
    expect(asked).toEqual([])
    // `create` is what an apply of a new object needs beside `patch`.
    const unused = granted.filter((each) => !each.startsWith('create ') && !cluster.askedBySvc.has(each))
    expect(unused).toEqual([])
  })

  it('is refused in words where the API server cannot be reached or the namespace of svc is unknown', async () => {
    await using target = open()
    expect(await target.warnings()).toEqual([])
    await cluster.stop()
    expect(await target.warnings()).toEqual([
      `Apps cannot be deployed: the Kubernetes API server does not answer (no answer from ${cluster.url}).`,
    ])
    await cluster.start()
  })
})

function waiting(reason: string, message: string) {
  return { waiting: { reason, message } }
}
