import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Instance } from '#contract/client-package.ts'
import { type ServerProcess, startProcess, untilExample } from '#test/programs/processes.ts'
import packageJson from '../../package.json' with { type: 'json' }
import type { FirstRun } from '../../src/server/process/first-start/first-run.ts'

const run = promisify(execFile)
/** Nothing listens there, so that a request to a registry fails. */
const DEAD_REGISTRY = 'http://127.0.0.1:1/'

describe('CL-04 an empty folder on a machine that reaches nothing but the instance', () => {
  let root: string
  let server: ServerProcess
  let instance: Instance
  let env: Record<string, string>
  const home = () => join(root, 'home')

  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'svc-air-gap-'))
    mkdirSync(home())
    server = await startProcess({ PORT: '0', SVC_DATA_DIR: join(root, 'data') })
    await untilExample(server)
    instance = (await (await fetch(`${server.url}/.well-known/svc.json`)).json()) as Instance
    env = {
      HOME: home(),
      PATH: `${join(root, 'prefix', 'bin')}:${dirname(process.execPath)}:${process.env.PATH}`,
      npm_config_prefix: join(root, 'prefix'),
      npm_config_cache: join(root, 'cache'),
      npm_config_registry: DEAD_REGISTRY,
      npm_config_fetch_retries: '0',
      npm_config_update_notifier: 'false',
    }
  })
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]()
    if (root) rmSync(root, { recursive: true, force: true })
  })

  const shell = (command: string) => run('sh', ['-ec', command], { cwd: home(), env })

  it('the line that the instance names installs its client', async () => {
    expect(instance.client!.install).toBe(`npm install -g ${server.url}/client.tgz`)
    await shell(instance.client!.install)
    expect((await shell('command -v svc')).stdout).toBe(`${join(root, 'prefix', 'bin', 'svc')}\n`)
    expect((await shell('svc version')).stdout).toBe(`${packageJson.version}\n`)
  })

  it('the bytes are those of the digest', async () => {
    const bytes = Buffer.from(await (await fetch(instance.client!.url)).arrayBuffer())
    expect(instance.client!.digest).toBe(`sha256:${createHash('sha256').update(bytes).digest('hex')}`)
  })

  it('SK-01 the installed client installs the skill', async () => {
    await shell('svc skills install svc')
    expect(existsSync(join(home(), '.claude', 'skills', 'svc', 'SKILL.md'))).toBe(true)
  })

  it('DS-22 the installed client asks a question', async () => {
    const first = JSON.parse(readFileSync(join(root, 'data', 'first-run.json'), 'utf8')) as FirstRun
    writeFileSync(join(home(), 'key.txt'), first.api_key, { mode: 0o600 })
    await shell(`svc login --api-url ${server.url} --api-key-stdin < key.txt`)
    const { stdout, stderr } = await shell('svc datasource query db_handbook "my laptop was stolen, what now?"')
    expect([stdout.includes('Lost or missing devices (lost-devices)'), stderr]).toEqual([true, ''])
  })
})
