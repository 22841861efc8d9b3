import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SDK_VERSION } from '../../src/worker-sdk/index.ts'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '..', '..')

/** Uses the whole surface, so that the declarations of the package are checked. */
const PROGRAM = `
  import { createWorker, SDK_VERSION, type CallContext } from '@svc-instance/worker-sdk'
  const worker = createWorker({ app: 'shop', apiUrl: 'http://127.0.0.1:1', concurrency: 2 })
  worker
    .function('greet', { input: { type: 'object' }, repeatable: true }, (input, { signal }: CallContext) => [input, signal])
    .pipeline('nightly', { schedule: '0 3 * * *' }, async ({ log }) => log.info('x'))
  const steps: [() => Promise<void>, (options?: { graceSeconds?: number }) => Promise<void>] = [worker.start, worker.stop]
  if (steps.length !== 2) throw new Error('unreachable')
  console.log(SDK_VERSION)`

/** The packed SDK, installed without a network into a folder that has nothing else. */
describe('AU-16 the worker SDK by itself', () => {
  let folder: string
  const env = () => ({
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: folder,
    SERVER_API_TOKEN: 'unused',
    npm_config_cache: join(folder, 'cache'),
    npm_config_update_notifier: 'false',
  })
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'svc-sdk-'))
    const app = join(folder, 'app')
    mkdirSync(app)
    const packed = join(ROOT, 'dist', 'worker-sdk')
    await run('npm', ['pack', packed, '--pack-destination', folder], { env: env(), cwd: folder })
    const tarball = join(folder, `svc-instance-worker-sdk-${SDK_VERSION}.tgz`)
    const flags = ['--offline', '--no-audit', '--no-fund', '--prefix', app]
    await run('npm', ['install', ...flags, tarball], { env: env(), cwd: app })
    writeFileSync(join(app, 'worker.mts'), PROGRAM)
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('is one file with its types, and brings no dependency', () => {
    const modules = join(folder, 'app', 'node_modules')
    expect(readdirSync(modules).filter((name) => !name.startsWith('.'))).toEqual(['@svc-instance'])
    const files = readdirSync(join(modules, '@svc-instance/worker-sdk')).sort()
    expect(files).toEqual(['LICENSE', 'README.md', 'index.d.ts', 'index.js', 'package.json'])
  })

  it('runs, and its declarations fit what it has', async () => {
    const cwd = join(folder, 'app')
    const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024', '--lib', 'es2024,dom']
    await run(join(ROOT, 'node_modules', '.bin', 'tsc'), [...flags, 'worker.mts'], { env: env(), cwd })
    const { stdout } = await run(process.execPath, ['worker.mts'], { env: env(), cwd })
    expect(stdout).toBe(`${SDK_VERSION}\n`)
  })
})
