import { existsSync, mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { removeFolder } from '#lib/files/remove-folder.ts'
import { findControlGroups } from '#lib/processes/control-groups/control-groups.ts'
import type {
  AppRef,
  BuildResult,
  DeployFacts,
  Instance,
  SourceFile,
} from '../../../src/server/areas/apps/deploys/target.ts'
import { createDirectNetwork } from '../../../src/server/areas/apps/door/network.ts'
import { createProcessTarget } from '../../../src/server/areas/apps/process/process-target.ts'
import { until } from '../until.ts'

type ProcessTargetOptions = Parameters<typeof createProcessTarget>[0]
type Files = Record<string, string>
type Setup = { environment?: Record<string, string>; signal?: AbortSignal; app?: string }

export type TestTarget = AsyncDisposable & {
  target: ReturnType<typeof createProcessTarget>
  dataDir: string
  /** All lines so far, `stream: text`. */
  lines: string[]
  build(deployId: string, files: Files, command: string | null, setup?: Setup): Promise<BuildResult>
  start(deployId: string, command: string, setup?: Setup): Promise<Instance>
  /** Builds without a command, starts, and waits until the app answers. */
  serve(files: Files, command?: string, setup?: Setup): Promise<Instance>
}

const APP = 'app_1'

/** A machine on which svc can make neither control groups nor file systems, so that it watches what apps use. */
export const ONLY_WATCHED: Pick<ProcessTargetOptions, 'findGroups' | 'findDiskFault'> = {
  findGroups: (dataDir) => findControlGroups(dataDir, { cgroup: '', mountinfo: '', isOurs: async () => false }),
  findDiskFault: async () => 'svc is not root',
}

export function openTestTarget(options: Partial<ProcessTargetOptions> = {}): TestTarget {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'svc-target-'))
  const errors: unknown[] = []
  const target = createProcessTarget({
    apiOrigin: () => undefined,
    network: createDirectNetwork(),
    onError: (error) => errors.push(error),
    unsandboxed: 'all',
    // All apps of a test are those of one organization.
    appIdsOf: async () => (existsSync(join(dataDir, 'apps')) ? readdirSync(join(dataDir, 'apps')) : []),
    ...options,
    dataDir,
  })
  const lines: string[] = []
  const onLine = ({ stream, text }: { stream: string; text: string }) => void lines.push(`${stream}: ${text}`)
  const instances: Instance[] = []
  let deploys = 0
  const opened: TestTarget = {
    target,
    dataDir,
    lines,
    build: (deployId, files, command, { environment = {}, signal = new AbortController().signal, app = APP } = {}) =>
      target.build({
        deploy: { ...deployFacts(app, deployId), buildCommand: command },
        files: sourceOf(files),
        environment,
        onLine,
        signal,
      }),
    start: async (deployId, command, { environment = {}, app = APP } = {}) => {
      const deploy = { ...deployFacts(app, deployId), startCommand: command }
      const storedLines = async () => undefined
      const onHarmful = () => {}
      const instance = await target.start({
        deploy,
        release: { deployId },
        environment,
        onLine,
        fence: 1,
        storedLines,
        signal: new AbortController().signal,
        onHarmful,
      })
      instances.push(instance)
      return instance
    },
    serve: async (files, command = 'exec node app.js', setup = {}) => {
      const deployId = `dep_serve${++deploys}`
      await opened.build(deployId, files, null, setup)
      const instance = await opened.start(deployId, command, setup)
      await until(() => answers(instance))
      return instance
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(instances.map((instance) => instance.stop(0)))
      await removeFolder(dataDir, () => {})
    },
  }
  return opened
}

export function appRef(id: string): AppRef {
  return { id, orgId: 'org_1' }
}

export function deployFacts(appId: string, deployId: string): DeployFacts {
  const commands = { buildCommand: null, startCommand: null, healthPath: '/' }
  return { orgId: 'org_1', appId, deployId, revisionId: 'rev_1', ...commands }
}

export async function* sourceOf(files: Files): AsyncIterable<SourceFile> {
  for (const [path, content] of Object.entries(files)) yield { path, executable: false, content: Buffer.from(content) }
}

/** Whether the app answers anything yet. Throws what ended it if it never will. */
async function answers(instance: Instance): Promise<boolean> {
  const answer = await Promise.race([
    instance.fetch(new Request('http://app.test/')).catch(() => undefined),
    instance.ended.then(({ description }) => Promise.reject(new Error(`the app ended: ${description}`))),
  ])
  await answer?.body?.cancel()
  return answer !== undefined
}

/** A small app that answers every request with what the given body of a function returns. */
export function appThat(body: string): Files {
  return {
    'app.js': `const http = require('node:http'), fs = require('node:fs'), net = require('node:net')
const { execSync, spawn, spawnSync } = require('node:child_process')
const tried = (work) => { try { return work() } catch (error) { return 'refused: ' + error.code } }
http.createServer(async (request, response) => {
  try { response.end(JSON.stringify(await (async () => { ${body} })()) ?? '') } catch (error) { response.end(String(error)) }
}).listen(process.env.PORT, '127.0.0.1')`,
  }
}

/** Asks the app and reads its answer as JSON. */
export async function ask(instance: Instance, path = '/ask'): Promise<unknown> {
  const response = await instance.fetch(new Request(`http://app.test${path}`))
  return JSON.parse(await response.text())
}
