import { execFile } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createOrg } from '#contract/auth/auth.ts'
import { createClient } from '#contract/core/client.ts'
import { launchChromium, openContext } from '#test/browser/chromium.ts'
import { type ServerProcess, startProcess, untilExample, untilReady } from '#test/programs/processes.ts'
import { runIn } from '#test/sources/configured-source.ts'
import { needs } from '#test/stores.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { currentBuild, makeBuild } from '../../scripts/build-folder.ts'
import { serverFiles } from '../../scripts/release/image/image-layer.ts'
import { readPublication } from '../../src/server/areas/skills/publication.ts'
import type { FirstRun } from '../../src/server/process/first-start/first-run.ts'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '..', '..')

/** In the words of images. */
const PROCESSOR = process.arch === 'x64' ? 'amd64' : process.arch
const MAX_SERVER_BYTES = 120_000_000

/** The built server and CLI in a folder that has no source, and of the packages only what an image has. */
describe('a release', () => {
  let folder: string
  let server: ServerProcess
  let first: FirstRun

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'svc-release-'))
    const release = join(folder, 'release')
    mkdirSync(release)
    for (const part of ['dist', 'bin', 'package.json'])
      cpSync(join(ROOT, part), join(release, part), { recursive: true })
    for (const path of serverFiles(PROCESSOR)) cpSync(join(ROOT, path), join(release, path))
    const env = { PORT: '0', SVC_DATA_DIR: join(folder, 'data') }
    server = await startProcess(env, [join(release, 'dist', 'server.js')])
    await untilExample(server)
    first = JSON.parse(readFileSync(join(folder, 'data', 'first-run.json'), 'utf8')) as FirstRun
  })
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true, force: true })
  })

  const dist = () => join(folder, 'release', 'dist')
  const svc = (...args: string[]) =>
    run(process.execPath, [join(folder, 'release', 'bin', 'svc.js'), ...args], {
      env: { PATH: process.env.PATH, SVC_CONFIG_DIR: join(folder, 'config') },
    })

  it('OP-12 the server without Node is not larger than its limit', () => {
    const bytes = serverFiles(PROCESSOR).reduce((sum, path) => sum + statSync(join(ROOT, path)).size, 0)
    console.log(`the server without Node: ${Math.round(bytes / 1e5) / 10} MB`)
    expect(bytes).toBeLessThan(MAX_SERVER_BYTES)
  })

  it('the server answers and writes', async () => {
    await untilReady(server)
    const headers = () => ({ authorization: `Bearer ${first.api_key}` })
    const client = createClient({ baseUrl: server.url, fetch, headers })
    expect((await client.call(createOrg, { name: 'Built' })).slug).toBe('built')
    const list = await fetch(`${server.url}/api/wf/slim/data-sources`, { headers: headers() })
    expect(await list.text()).toContain('  - id: "db_handbook"\n')
    expect((await fetch(`${server.url}/docs`)).status).toBe(200)
  })

  it('OP-11 the server shows the guides as the build rendered them, and the build has them for a folder too', async () => {
    for (const name of ['readme', 'running', 'decisions-auth']) {
      const built = readFileSync(join(dist(), 'builds', currentBuild(dist())!, 'guides', `${name}.html`), 'utf8')
      // The page about settings keeps the default address, because its examples need it.
      const expected = name === 'running' ? built : built.replaceAll('http://127.0.0.1:8080', server.url)
      expect(await (await fetch(`${server.url}/guides/${name}`)).text()).toBe(expected)
    }
    expect(readFileSync(join(dist(), 'guides', 'index.html'), 'utf8')).toContain('<a href="running.html">')
  })

  it('SK-05 the server hands out the skills as the build packed them, whatever its own zlib would make', async () => {
    for (const [path, bytes] of await readPublication(join(dist(), 'builds', currentBuild(dist())!, 'skills'))) {
      const response = await fetch(`${server.url}/.well-known/agent-skills/${path}`)
      expect(Buffer.from(await response.arrayBuffer()).equals(bytes), path).toBe(true)
    }
  })

  it('CL-04 the server hands out the client as the build packed it, at an address that never changes too', async () => {
    const built = readFileSync(join(dist(), 'builds', currentBuild(dist())!, 'client.tgz'))
    for (const path of ['/client.tgz', `/client/svc-client-${packageJson.version}.tgz`]) {
      const response = await fetch(`${server.url}${path}`)
      expect(Buffer.from(await response.arrayBuffer()).equals(built), path).toBe(true)
    }
    const { headers } = await fetch(`${server.url}/client/svc-client-${packageJson.version}.tgz`, { method: 'HEAD' })
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable, no-transform')
  })

  it('DS-22 the CLI signs in and asks the example', async () => {
    await svc('login', '--api-url', server.url, '--api-key', first.api_key)
    const { stdout } = await svc('datasource', 'query', 'db_handbook', 'my laptop was stolen, what now?', '-o', 'json')
    const { count, results } = JSON.parse(stdout) as { count: number; results: { id: string }[] }
    expect([count, results[0]!.id]).toEqual([10, 'lost-devices'])
    expect((await svc('--version')).stdout.trim()).toBe(packageJson.version)
  })

  it('DS-24 the CLI fills vectors through its own connection', async () => {
    await svc('db', 'create', 'notes')
    const { stdout: connection } = await svc('db', 'connect', 'notes')
    await runIn(
      /postgres\S+/.exec(connection)![0],
      `create table notes (id int primary key, body text, embedding vector(384));
       insert into notes values (1, 'Sick days'), (2, 'Company cars')`,
    )
    const options = ['--table', 'public.notes', '--text', 'body', '--model', 'builtin/all-minilm-l6-v2']
    const { stdout } = await svc('db', 'embed', 'notes', ...options)
    expect(stdout).toBe('Filled 2 rows of public.notes.\n')
    expect((await svc('db', 'embed', 'notes', ...options)).stdout).toBe('Filled 0 rows of public.notes.\n')
  })

  it('AU-08 svc-server finds the running server and says to stop it', async () => {
    const file = join(folder, 'release', 'bin', 'svc-server.js')
    const env = { PATH: process.env.PATH, SVC_DATA_DIR: join(folder, 'data') }
    expect((await run(process.execPath, [file, '--version'], { env })).stdout.trim()).toBe(packageJson.version)
    await expect(run(process.execPath, [file, 'reseal'], { env })).rejects.toMatchObject({
      code: 6,
      stderr: expect.stringContaining('Stop the server first.'),
    })
  })

  needs('chromium')('in a browser', () => {
    it('CO-01 the console opens signed in, under its own content security policy', async () => {
      const browser = await launchChromium()
      try {
        const page = await (await openContext(browser)).newPage()
        const faults: string[] = []
        page.on('console', (message) => message.type() === 'error' && faults.push(message.text()))
        page.on('pageerror', (error) => faults.push(error.message))
        await page.goto(`${server.url}/auth/local?return_to=/settings/tokens`)
        await page.getByLabel('Code').fill(readFileSync(join(folder, 'data', 'sign-in-code'), 'utf8').trim())
        await page.getByRole('button', { name: 'Sign in' }).click()
        await page.getByRole('heading', { name: 'API tokens', level: 1 }).waitFor()
        await page.goto(`${server.url}/docs/data-sources`)
        await page.getByText('/api/wf/slim/data-sources').first().waitFor()
        expect(faults).toEqual([])
      } finally {
        await browser.close()
      }
    })
  })

  it('OP-01 a later build leaves a running server all that it needs: engines, apps and the model', async () => {
    const running = join(dist(), 'builds', currentBuild(dist())!)
    const build = (text: string) =>
      makeBuild(dist(), async (into) => {
        for (const file of ['server.js', 'svc-server.js']) writeFileSync(join(into, file), text)
      })
    const unused = await build('// second')
    await build('// third')
    await build('// fourth')
    expect([existsSync(running), existsSync(unused)]).toEqual([true, false])
    // The keeper of its apps uses the build too.
    expect(readdirSync(join(running, 'users'))).toContain(String(server.child.pid))

    await svc('db', 'create', 'later')
    const { stdout: connection } = await svc('db', 'connect', 'later')
    await runIn(/postgres\S+/.exec(connection)![0], 'create table awake (n int)')
    const asked = await svc('datasource', 'query', 'db_handbook', 'sick days', '-o', 'json')
    expect((JSON.parse(asked.stdout) as { count: number }).count).toBe(10)
    await svc('apps', 'create', 'awake', '--start', 'node server.js')
    const example = join(ROOT, 'examples', 'hello')
    const deployed = await svc('apps', 'deploy', 'awake', '--dir', example, '--follow')
    expect(deployed.stdout).toContain('live')
  })

  it('OP-03 a process whose files are gone is not ready and names them', async () => {
    const running = join(dist(), 'builds', readdirSync(join(dist(), 'builds')).find(hasUsers)!)
    rmSync(join(running, 'workers', 'inside.js'))
    const response = await fetch(`${server.url}/readyz`)
    expect([response.status, await response.json()]).toMatchObject([
      503,
      {
        dependencies: {
          'program files': {
            status: 'failing',
            detail: 'a file of the running program is missing: inside.js; restart svc',
          },
        },
      },
    ])
  })

  const hasUsers = (name: string) => existsSync(join(dist(), 'builds', name, 'users'))
})
