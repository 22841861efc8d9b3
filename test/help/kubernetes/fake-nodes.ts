import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { createOperatorFetch } from '#lib/net/operator-fetch.ts'
import { freePort } from '../free-port.ts'
import { NODE_AGENT } from './fake-api-server.ts'

type Cluster = { readonly url: string; readonly ca: string; readonly token: string }
type Options = {
  /** Files of every revision. */
  files: Record<string, string>
  onLine?: (pod: string, container: string, text: string) => void
  /** Statuses of the pods that are made next, instead of running anything. */
  readonly statuses?: object[]
}
type Container = { name: string; command: string[]; env?: { name: string; value: string }[] }
type Deployment = {
  metadata: { uid: string; name: string; namespace: string }
  spec: {
    template: {
      metadata: { labels: Record<string, string> }
      spec: { initContainers: Container[]; containers: Container[] }
    }
  }
}

/** Stands for controllers and kubelets: runs the containers of Deployments as local processes and reports on them. */
export type FakeNodes = AsyncDisposable & {
  /** Where the app behind a Service listens. */
  readonly addressOf: (service: { name: string }) => { host: string; port: number }
  /** Kills the app of a Deployment. */
  crash(name: string): void
  /** Names of the Deployments whose pods run. */
  running(): string[]
}

const POLL_MS = 15
const CLOSED_PORT = 1

export function startFakeNodes(cluster: Cluster, options: Options): FakeNodes {
  const send = createOperatorFetch({ ca: cluster.ca })
  const call = async (method: string, path: string, body?: object) => {
    const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    const headers = { authorization: `Bearer ${cluster.token}`, 'content-type': contentType, 'user-agent': NODE_AGENT }
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
    const response = await send(new Request(cluster.url + path, init))
    return (await response.json()) as { items?: Deployment[]; data?: Record<string, string> }
  }
  const pods = new Map<string, FakePod>()
  const closing = new AbortController()
  const look = async () => {
    const { items = [] } = await call('GET', '/apis/apps/v1/deployments')
    for (const deployment of items) {
      if (!pods.has(deployment.metadata.uid)) pods.set(deployment.metadata.uid, startPod(deployment, call, options))
    }
    for (const [uid, pod] of pods) {
      if (items.some(({ metadata }) => metadata.uid === uid)) continue
      pods.delete(uid)
      await pod.end()
    }
  }
  const run = async () => {
    while (!closing.signal.aborted) {
      // The API server may be stopped.
      await look().catch(() => {})
      await sleep(POLL_MS)
    }
  }
  const running = run()
  const byName = (name: string) => [...pods.values()].find((pod) => pod.name === name)
  return {
    addressOf: ({ name }) => ({ host: '127.0.0.1', port: byName(name)?.port() ?? CLOSED_PORT }),
    crash: (name) => byName(name)?.crash(),
    running: () => [...pods.values()].map(({ name }) => name),
    [Symbol.asyncDispose]: async () => {
      closing.abort()
      await running
      for (const pod of pods.values()) await pod.end().catch(() => {})
      await send[Symbol.asyncDispose]()
    },
  }
}

type FakePod = { name: string; port(): number | undefined; crash(): void; end(): Promise<void> }
type Call = (method: string, path: string, body?: object) => Promise<{ data?: Record<string, string> }>

function startPod({ metadata: { name, namespace }, spec }: Deployment, call: Call, options: Options): FakePod {
  const { template } = spec
  const pod = `${name}-pod`
  const folder = mkdtempSync(join(tmpdir(), 'svc-pod-'))
  for (const [path, content] of Object.entries(options.files)) writeFileSync(join(folder, path), content)
  let port: number | undefined
  let child: ChildProcess | undefined
  const over = new AbortController()
  const patch = (status: object) => call('PATCH', `/api/v1/namespaces/${namespace}/pods/${pod}/status`, { status })

  const runOnce = async ({ name: container, command, env = [] }: Container, variables: Record<string, string>) => {
    const own = Object.fromEntries(env.map((each) => [each.name, each.value]))
    const environment = {
      PATH: process.env.PATH,
      ...variables,
      ...own,
      HOME: folder,
      TMPDIR: folder,
      PORT: String(port),
    }
    child = spawn(command[0]!, command.slice(1), { cwd: folder, env: environment, detached: true })
    for (const stream of [child.stdout!, child.stderr!]) {
      createInterface({ input: stream }).on('line', (line) => options.onLine?.(pod, container, line))
    }
    const ended = child
    const exitCode = await new Promise<number>((done) => {
      ended.once('close', (code) => done(code ?? 137))
    })
    return { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error' }
  }

  const run = async () => {
    const manifest = { apiVersion: 'v1', kind: 'Pod', metadata: { name: pod, labels: template.metadata.labels } }
    await call('POST', `/api/v1/namespaces/${namespace}/pods`, { ...manifest, spec: template.spec })
    const planned = options.statuses?.shift()
    if (planned) return void (await patch(planned))
    const { data = {} } = await call('GET', `/api/v1/namespaces/${namespace}/secrets/${name}`)
    const variables = Object.fromEntries(Object.entries(data).map(([key, value]) => [key, atob(value)]))
    const status = (container: string, state: object, restartCount = 0, lastState = {}) => {
      return { name: container, image: 'runner', restartCount, state, lastState }
    }
    const inits = [status('fetch', { terminated: { exitCode: 0, reason: 'Completed' } })]
    const build = template.spec.initContainers.find((each) => each.name === 'build')
    if (build) {
      await patch({ initContainerStatuses: [...inits, status('build', { running: {} })] })
      const terminated = await runOnce(build, variables)
      inits.push(status('build', { terminated }))
      await patch({ initContainerStatuses: inits })
      if (terminated.exitCode !== 0) return
    }
    const app = template.spec.containers[0]!
    for (let restarts = 0, lastState = {}; !over.signal.aborted; restarts++) {
      port = await freePort()
      // Whoever ended the pod meanwhile found nothing to kill.
      if (over.signal.aborted) return
      const ending = runOnce(app, variables)
      await patch({
        phase: 'Running',
        initContainerStatuses: inits,
        containerStatuses: [status('app', { running: {} }, restarts, lastState)],
      })
      const terminated = await ending
      port = undefined
      if (over.signal.aborted) return
      await patch({ containerStatuses: [status('app', { terminated }, restarts, lastState)] })
      lastState = { terminated }
    }
  }
  // The API server may refuse while it is stopped, or because the pod is gone.
  const running = run().catch(() => {})
  const kill = () => {
    // A group that has ended already cannot be killed.
    const runs = child?.exitCode === null && child.signalCode === null
    if (runs && child?.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  }
  return {
    name,
    port: () => port,
    crash: kill,
    end: async () => {
      over.abort()
      kill()
      await running
      rmSync(folder, { recursive: true, force: true })
      await call('DELETE', `/api/v1/namespaces/${namespace}/pods/${pod}?gracePeriodSeconds=0`)
    },
  }
}
