import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { killRounds } from '#test/deliveries/kill-rounds.ts'
import { type ServerProcess, startProcess, untilReady } from '#test/programs/processes.ts'
import { stores } from '#test/stores.ts'
import { until } from '#test/until.ts'
import type { FirstRun } from '../../src/server/process/first-start/first-run.ts'

/** The real thing as `npm start` runs it: a process of its own on a folder of its own. */
describe('OP-01 the embedded default', () => {
  let folder: string
  let server: ServerProcess
  let first: FirstRun
  const env = () => ({ PORT: '0', SVC_DATA_DIR: folder, SVC_EXAMPLE: 'false' })

  beforeAll(async () => {
    folder = join(mkdtempSync(join(tmpdir(), 'svc-start-')), 'data')
    mkdirSync(folder, { mode: 0o755 })
    server = await startProcess(env())
    first = JSON.parse(readFileSync(join(folder, 'first-run.json'), 'utf8')) as FirstRun
  })
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]()
    rmSync(join(folder, '..'), { recursive: true, force: true })
  })

  const list = (url: string) =>
    fetch(`${url}/api/wf/slim/data-sources`, { headers: { authorization: `Bearer ${first.api_key}` } })

  it('says it is ready, what to try next, and keeps the key out of the terminal', () => {
    const output = server.output.join('\n')
    expect(output).toContain(`svc ready at ${server.url}`)
    expect(output).toContain(`SVC_DATA_DIR=${folder} npx svc login`)
    expect(output).toContain('svc datasource list')
    expect(output).toMatch(/^ {2}The port for apps is \d+ \(SVC_APPS_PORT\)$/m)
    const code = readFileSync(join(folder, 'sign-in-code'), 'utf8').trim()
    expect(output).toContain(`open ${server.url}/#sign-in=${code} to sign in`)
    expect(output).not.toContain(first.api_key)
    expect(output).not.toContain(first.operator_token)
  })

  it('warns where bubblewrap does not wall embedded databases off, and only there', () => {
    const isWarned = server.output.some((line) => line.includes('warning: bubblewrap'))
    expect(isWarned).toBe(stores.bubblewrap === undefined)
  })

  it('writes the first account for its owner only, and the key opens the door', async () => {
    expect(Object.keys(first).sort()).toEqual(['api_key', 'base_url', 'operator_token', 'org_id', 'owner_email'])
    expect(first.base_url).toBe(server.url)
    for (const file of ['first-run.json', 'secrets.json']) {
      expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600)
    }
    expect((await list(server.url)).status).toBe(200)
    await untilReady(server)
  })

  it('all it keeps is for its owner alone, also in a folder that was there before', () => {
    const open = globSync('*', { cwd: folder }).filter((file) => (statSync(join(folder, file)).mode & 0o077) !== 0)
    expect(open).toEqual([])
    expect(statSync(folder).mode & 0o777).toBe(0o700)
  })

  it('a port that is in use is told in words, before anything else is done', async () => {
    const { port } = new URL(server.url)
    const second = startProcess({ PORT: port, SVC_DATA_DIR: join(folder, '..', 'never-made') })
    await expect(second).rejects.toThrow(`svc cannot start: Port ${port} is in use. Stop the program that uses it`)
    expect(existsSync(join(folder, '..', 'never-made'))).toBe(false)
  })

  it('a second process on the folder is refused and told which process holds it', async () => {
    const second = startProcess(env())
    await expect(second).rejects.toThrow(`is in use by process ${server.child.pid}`)
    await expect(second).rejects.toThrow('ended with 1')
  })

  it('DS-02 after kill -9 it starts at once with everything there, and deletes what was being removed', async () => {
    const leftovers = [
      'databases/removed-0123456789ab',
      'databases/d_new.part',
      'apps/app_1/releases/removed-0123456789ab',
      'trials/removed-0123456789ab',
    ].map((path) => join(folder, path))
    for (const leftover of leftovers) {
      mkdirSync(leftover, { recursive: true })
      writeFileSync(join(leftover, 'rows'), 'a row that was dropped')
    }
    server.child.kill('SIGKILL')
    await once(server.child, 'exit')
    server = await startProcess(env())
    expect(server.output.join('\n')).toContain('your API key is in')
    expect((await list(server.url)).status).toBe(200)
    await until(() => globSync('**/rows', { cwd: folder }).length === 0)
  })

  it('a stop finishes what runs, then ends with 0', async () => {
    const body = JSON.stringify({ name: 'Slow sender' })
    const upload = new TransformStream<Uint8Array, Uint8Array>()
    const writer = upload.writable.getWriter()
    void writer.write(Buffer.from(body.slice(0, 5)))
    const answer = fetch(`${server.url}/api/v1/orgs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${first.api_key}`, 'content-type': 'application/json' },
      body: upload.readable,
      duplex: 'half',
    } as RequestInit)
    // Answered on a second connection: the server has surely taken in the first by then.
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
    const exited = once(server.child, 'exit')
    server.child.kill('SIGTERM')
    await writer.write(Buffer.from(body.slice(5)))
    await writer.close()
    expect((await answer).status).toBe(201)
    expect(await exited).toEqual([0, null])
  })

  it('every organization answered 201 is there after kill -9 while others are written (2 of 20 rounds, seed 7)', async () => {
    const report = await killRounds({ env: env(), operatorToken: first.operator_token, rounds: 2, seed: 7 })
    console.log(`kill -9: seed 7, ${JSON.stringify(report)}`)
    expect(report.lost).toEqual([])
    expect(report.acknowledged).toBeGreaterThan(0)
  })
})

it('OP-01 an example that cannot be made costs nobody the server', async () => {
  const place = mkdtempSync(join(tmpdir(), 'svc-no-example-'))
  const env = { PORT: '0', SVC_DATA_DIR: join(place, 'data'), SVC_GATEWAY_TOKENS_PER_DAY: '1' }
  const server = await startProcess(env)
  try {
    await until(() => server.output.some((line) => line.startsWith('the example could not be created')))
    await untilReady(server)
  } finally {
    await server[Symbol.asyncDispose]()
    rmSync(place, { recursive: true, force: true })
  }
})

describe('configuration', () => {
  it('OP-02 a worker of its own that is not told the public address refuses to start and names the variable', async () => {
    const key = 'ab'.repeat(32)
    const started = startProcess({
      SVC_SERVICES: 'worker',
      DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none',
      REDIS_URL: 'redis://127.0.0.1:9',
      SVC_DATA_KEY: key,
      SVC_INTERNAL_SECRET: key,
    })
    await expect(started).rejects.toThrow('SVC_REDIRECT_BASE_URL is required when services run in separate processes')
  })

  it('OP-03 a process that may open too few files refuses to start and says how to raise the limit', async () => {
    const main = join(import.meta.dirname, '..', '..', 'src', 'server', 'main.ts')
    const child = spawn('bash', ['-c', 'ulimit -n 256; exec "$0" "$1"', process.execPath, main], {
      env: { PATH: process.env.PATH, PORT: '0', SVC_DATA_DIR: join(tmpdir(), 'svc-never-made') },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const [message, [code]] = await Promise.all([readText(child.stderr), once(child, 'exit')])
    expect([code, message]).toEqual([
      1,
      'svc cannot start: This process may open 256 files, and svc needs at least 1024. Raise the hard limit (ulimit -Hn, LimitNOFILE= of systemd, --ulimit nofile= of containers).\n',
    ])
  })

  it('reports every fault at once, in words, and ends with 1', async () => {
    const main = join(import.meta.dirname, '..', '..', 'src', 'server', 'main.ts')
    const child = spawn(process.execPath, [main], {
      env: { PATH: process.env.PATH, PORT: '99999', SVC_SERVICES: 'api-gatway', SVC_DATA_KEY: 'short' },
    })
    let text = ''
    child.stderr.on('data', (chunk: Buffer) => {
      text += chunk.toString()
    })
    const [code] = await once(child, 'exit')
    expect(code).toBe(1)
    expect(text).toContain('PORT must be a whole number from 0 to 65535')
    expect(text).toContain('SVC_SERVICES names api-gatway')
    expect(text).toContain('SVC_DATA_KEY must be 32 bytes as 64 hex digits')
    expect(text).not.toContain('    at ')
  })
})
