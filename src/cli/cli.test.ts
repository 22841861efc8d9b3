import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { type ErrorCode, ServiceError } from '#contract/core/errors.ts'
import type { Principal } from '#contract/core/principal.ts'
import type { SlimSource } from '#contract/data-sources/sources.ts'
import { runSvc } from '#test/programs/cli-run.ts'

/** Against an API of two operations. */
const LAUNCHER = join(import.meta.dirname, '..', '..', 'bin', 'svc.js')
const KEY = 'svc_key_that_must_never_show'
const OTHER_KEY = 'svc_key_that_must_never_show_either'
const PRINCIPAL: Principal = {
  kind: 'api_token',
  id: 'tok_1',
  user_id: 'usr_1',
  org_id: 'org_1',
  role: 'developer',
  scopes: [],
  expires_at: null,
}
const ME = {
  kind: 'api_token',
  user: { id: 'usr_1', email: 'ada@example.com', name: 'Ada' },
  org: { id: 'org_1', name: 'Example', slug: 'example' },
  role: 'developer',
  read_only: false,
}
const DOCS: SlimSource = {
  id: 'db_docs',
  name: 'Docs',
  min_role: 'viewer',
  filters: { category: 'string', year: 'number' },
  description: 'All manuals',
}

type Stored = { contexts: Record<string, unknown> }

let server: Server
let url: string
let folder: string
let file: string
/** The answer of the list of sources; undefined keeps the caller waiting. */
let sources: SlimSource[] | ServiceError | undefined

beforeAll(async () => {
  server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-cli-'))
  file = join(folder, 'svc', 'contexts.json')
  sources = [DOCS]
})
afterEach(() => rm(folder, { recursive: true }))

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.url === '/api/v1/tokens/validate') {
    const { token } = JSON.parse(await text(request)) as { token: string }
    const isKnown = token === KEY || token === OTHER_KEY
    return isKnown ? send(response, 200, { principal: PRINCIPAL }) : refuse(response, 'INVALID_TOKEN')
  }
  if (request.url === '/api/v1/me') return send(response, 200, ME)
  if (request.url !== '/api/wf/slim/data-sources') return refuse(response, 'NOT_FOUND')
  if (request.headers.authorization !== `Bearer ${KEY}`) return refuse(response, 'INVALID_TOKEN')
  if (sources instanceof ServiceError) return send(response, sources.status, sources.toProblem())
  if (sources) send(response, 200, { items: sources, next_cursor: null })
}

function refuse(response: ServerResponse, code: ErrorCode): void {
  const error = new ServiceError(code, `refused with ${code}`)
  send(response, error.status, error.toProblem())
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

/** The real launcher as a process of its own. */
function start(args: string[], env: Record<string, string> = {}): ChildProcess {
  const clean = { PATH: process.env.PATH ?? '', HOME: folder, SVC_CONFIG_DIR: folder, ...env }
  return spawn(process.execPath, [LAUNCHER, ...args], { env: clean, stdio: 'pipe' })
}

async function svc(args: string[], options: Parameters<typeof runSvc>[1] = {}) {
  const ran = await runSvc(args, { ...options, env: { SVC_CONFIG_DIR: folder, ...options.env }, folder })
  expect(ran.stdout + ran.stderr).not.toContain('svc_key_that_must_never_show')
  return ran
}

const loginAs = (key: string, ...more: string[]) => svc(['login', '--api-url', url, '--api-key', key, ...more])
const login = (...more: string[]) => loginAs(KEY, ...more)
const loggedIn = () => ({ SVC_API_URL: url, SVC_API_KEY: KEY })
const list = (...flags: string[]) => svc(['datasource', 'list', ...flags], { env: loggedIn() })
const hostOf = (address: string) => new URL(address).host

describe('CL-01 login and contexts', () => {
  test('a login is checked, stored privately, and every further one is added without switching', async () => {
    const host = hostOf(url)
    expect(await login()).toMatchObject({ exit: 0, stderr: '' })
    const second = await loginAs(OTHER_KEY)
    expect(second).toMatchObject({ exit: 0 })
    expect(second.stderr).toContain(`svc context use ${host}-2`)
    const stored = JSON.parse(await readFile(file, 'utf8')) as unknown
    expect(stored).toEqual({
      current: host,
      contexts: { [host]: { api_url: url, api_key: KEY }, [`${host}-2`]: { api_url: url, api_key: OTHER_KEY } },
    })
    expect((await stat(file)).mode & 0o777).toBe(0o600)
  })

  test('the same key for the same address is not a second context, with its own name or none', async () => {
    await login('--context', 'one')
    const before = await readFile(file, 'utf8')
    for (const flags of [[], ['--context', 'one']]) {
      const again = await login(...flags)
      expect(again).toMatchObject({ exit: 0, stderr: '' })
      expect(again.stdout).toContain('Context: one.')
    }
    expect(await readFile(file, 'utf8')).toBe(before)
    await login('--context', 'two')
    expect(Object.keys((JSON.parse(await readFile(file, 'utf8')) as Stored).contexts)).toEqual(['one', 'two'])
  })

  test('context use switches and context list shows which is current', async () => {
    await login('--context', 'one')
    await login('--context', 'two')
    expect(await svc(['context', 'use', 'two'])).toMatchObject({ exit: 0 })
    const { stdout } = await svc(['context', 'list'])
    expect(stdout.split('\n').slice(0, 3)).toEqual([
      'CURRENT  NAME  API URL',
      `         one   ${url}`,
      `*        two   ${url}`,
    ])
    expect(await svc(['context', 'use', 'three'])).toMatchObject({ exit: 4, stdout: '' })
  })

  test('an explicit context that is taken exits 6 and changes nothing', async () => {
    await login('--context', 'one')
    const before = await readFile(file, 'utf8')
    expect(await loginAs(OTHER_KEY, '--context', 'one')).toMatchObject({ exit: 6, stdout: '' })
    expect(await readFile(file, 'utf8')).toBe(before)
  })

  test('a key that the instance refuses exits 3 and nothing is stored', async () => {
    const refused = await svc(['login', '--api-url', url, '--api-key', 'wrong'])
    expect(refused).toMatchObject({ exit: 3, stdout: '' })
    await expect(stat(file)).rejects.toThrow('ENOENT')
  })

  test.each([['--api-key-stdin'], ['--api-key', '-']])('%s %s reads the key from stdin', async (...flags) => {
    const done = await svc(['login', '--api-url', url, ...flags], { stdin: `${KEY}\n` })
    expect(done).toMatchObject({ exit: 0 })
  })

  test('on a terminal the key is asked for and does not show', async () => {
    const done = await svc(['login', '--api-url', url], { stdin: `${KEY}\r`, columns: 80 })
    expect(done).toMatchObject({ exit: 0 })
    expect(done.stderr).toContain(`API key (make one at ${url}/settings/tokens): `)
  })

  test('off a terminal a missing key and two keys are both refused', async () => {
    const none = await svc(['login', '--api-url', url])
    expect(none).toMatchObject({ exit: 5, stdout: '' })
    expect(none.stderr).toContain(
      `The API key is missing. Make one at ${url}/settings/tokens, and give it with --api-key-stdin or --api-key.`,
    )
    expect(await login('--api-key-stdin')).toMatchObject({ exit: 5, stdout: '' })
  })

  test('without options it takes the instance of this folder, once', async () => {
    const nothing = await svc(['login'])
    expect(nothing).toMatchObject({ exit: 5, stdout: '' })
    expect(nothing.stderr).toContain(`No instance found in ${join(folder, '.svc')}. Name one with`)
    await mkdir(join(folder, '.svc'))
    await writeFile(join(folder, '.svc', 'first-run.json'), JSON.stringify({ base_url: url, api_key: KEY }))
    for (const _ of [1, 2]) {
      expect(await svc(['login'])).toMatchObject({
        exit: 0,
        stdout: `Logged in to ${url} as developer in org_1. Context: ${hostOf(url)}.\n`,
      })
    }
    expect(Object.keys((JSON.parse(await readFile(file, 'utf8')) as Stored).contexts)).toEqual([hostOf(url)])
  })

  test('CL-03 without a login the error names the command that logs in here, as the client was called', async () => {
    const hint = async (env: Record<string, string> = {}) => (await svc(['datasource', 'list'], { env })).stderr
    expect(await hint()).toBe('svc: You are not logged in.\nLog in: svc login --api-url <url> --api-key-stdin\n')
    await mkdir(join(folder, '.svc'))
    await writeFile(join(folder, '.svc', 'first-run.json'), JSON.stringify({ base_url: url, api_key: KEY }))
    expect(await hint()).toBe('svc: You are not logged in.\nLog in: svc login\n')
    expect(await hint({ npm_command: 'exec' })).toBe('svc: You are not logged in.\nLog in: npx svc login\n')
    expect((await svc(['status'])).stderr).toBe('svc: You are not logged in.\nLog in: svc login\n')
    await writeFile(join(folder, '.svc', 'first-run.json'), '{"base_url": ')
    expect(await hint()).toContain('Log in: svc login --api-url <url> --api-key-stdin\n')
  })

  test('CL-01 a login that does not become the current one names the command that switches', async () => {
    await login('--context', 'one')
    const second = await svc(['login', '--api-url', url, '--api-key', KEY, '--context', 'two'], {
      env: { npm_command: 'exec' },
    })
    expect(second.stderr).toBe('The current context is still one. To switch: npx svc context use two\n')
  })

  test('--context and SVC_CONTEXT choose a login, the option first', async () => {
    await login('--context', 'one')
    await login('--context', 'two')
    await login('--context', 'three')
    const context = async (args: string[], env: Record<string, string> = {}) =>
      (JSON.parse((await svc(['status', '--json', ...args], { env })).stdout) as { context: string }).context
    expect(await context([])).toBe('one')
    expect(await context([], { SVC_CONTEXT: 'two' })).toBe('two')
    expect(await context(['--context', 'three'], { SVC_CONTEXT: 'two', ...loggedIn() })).toBe('three')
    expect(await svc(['status', '--context', 'four'])).toMatchObject({ exit: 4, stdout: '' })
  })

  test('context remove and logout delete a login and name the remaining ones', async () => {
    await login('--context', 'one')
    await login('--context', 'two')
    expect(await svc(['context', 'remove', 'nope'])).toMatchObject({ exit: 4, stdout: '' })
    const out = await svc(['logout'])
    expect(out).toMatchObject({ exit: 0, stdout: 'Removed the login one from this machine.\n' })
    expect(out.stderr).toContain('There is no current context now. Choose one of two')
    expect(await svc(['context', 'remove', 'two'])).toMatchObject({ exit: 0, stderr: '' })
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ current: null, contexts: {} })
    expect(await svc(['logout'])).toMatchObject({ exit: 3, stdout: '' })
    expect(await svc(['logout'], { env: loggedIn() })).toMatchObject({ exit: 5, stdout: '' })
  })

  test('status --json tells the login state and never the key', async () => {
    const before = await svc(['status', '--json'])
    expect(before.exit).toBe(3)
    expect(JSON.parse(before.stdout)).toMatchObject({ logged_in: false, context: null, reachable: null })
    await login('--context', 'one')
    const after = await svc(['status', '--json'])
    expect(after).toMatchObject({ exit: 0, stderr: '' })
    expect(JSON.parse(after.stdout)).toEqual({
      logged_in: true,
      context: 'one',
      api_url: url,
      reachable: true,
      principal: { kind: 'api_token', id: 'tok_1', org_id: 'org_1', role: 'developer', expires_at: null },
      user: ME.user,
      org: ME.org,
      deletion: null,
    })
  })

  test('status names the person and the organization', async () => {
    const { stdout } = await svc(['status'], { env: loggedIn() })
    expect(stdout.split('\n').slice(4, 9)).toEqual([
      'Person        Ada <ada@example.com>',
      'Organization  Example (org_1)',
      'Role          developer',
      'Kind          api_token',
      'Id            tok_1',
    ])
  })

  test('SVC_API_URL and SVC_API_KEY stand in for a login', async () => {
    const { exit, stdout } = await svc(['status'], { env: loggedIn() })
    expect(exit).toBe(0)
    expect(stdout).toContain('Context       from SVC_API_URL and SVC_API_KEY')
  })
})

describe('DS-22 datasource list', () => {
  test('prints ID, NAME, MIN ROLE, FILTERS with their types, DESCRIPTION', async () => {
    const { exit, stdout, stderr } = await list()
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
    expect(stdout).toBe(
      'ID       NAME  MIN ROLE  FILTERS                       DESCRIPTION\n' +
        'db_docs  Docs  viewer    category:string, year:number  All manuals\n',
    )
  })

  test('-o json and --json print what the API answered', async () => {
    for (const flags of [['-o', 'json'], ['--json']]) {
      const { stdout } = await list(...flags)
      expect(JSON.parse(stdout)).toEqual({ items: [DOCS], next_cursor: null })
    }
  })

  test('with nothing to ask, stderr says what to do and -o json stays JSON', async () => {
    sources = []
    const { exit, stdout, stderr } = await list('-o', 'json')
    expect(exit).toBe(0)
    expect(JSON.parse(stdout)).toEqual({ items: [], next_cursor: null })
    expect(stderr).toContain('An admin of your organization can expose one')
    expect(await list()).toMatchObject({ exit: 0, stdout: '' })
  })
})

describe('CL-03 the pager', () => {
  const many = Array.from({ length: 30 }, (_, n) => ({ ...DOCS, id: `db_${n}` }))
  const listOn = (terminal: { columns?: number; rows?: number }, pager: string, ...flags: string[]) => {
    const env = { ...loggedIn(), PAGER: pager, PATH: process.env.PATH! }
    return svc(['datasource', 'list', ...flags], { env, ...terminal })
  }
  const toFile = () => `cat > ${join(folder, 'paged')}`
  const paged = () => readFile(join(folder, 'paged'), 'utf8').catch(() => undefined)

  test('gets what is longer than the terminal', async () => {
    sources = many
    expect(await listOn({ columns: 80, rows: 24 }, toFile())).toMatchObject({ exit: 0, stdout: '' })
    const shown = await paged()
    expect(shown?.split('\n')).toHaveLength(32)
    expect(shown).toContain('db_29')
  })

  test.each([
    ['without a terminal', {}, []],
    ['on a terminal that is long enough', { columns: 80, rows: 40 }, []],
    ['with --no-pager', { columns: 80, rows: 24 }, ['--no-pager']],
  ])('%s the text is printed', async (_, terminal, flags) => {
    sources = many
    expect((await listOn(terminal, toFile(), ...flags)).stdout).toContain('db_29')
    expect(await paged()).toBeUndefined()
  })

  test('that does not exist loses nothing, and one that leaves early is no error', async () => {
    sources = many
    const missing = await listOn({ columns: 80, rows: 24 }, 'no-such-pager-anywhere 2>/dev/null')
    expect(missing).toMatchObject({ exit: 0, stdout: expect.stringContaining('db_29') as unknown })
    expect(await listOn({ columns: 80, rows: 24 }, 'true')).toMatchObject({ exit: 0, stdout: '' })
  })
})

describe('CL-03 local faults are not blamed on the instance', () => {
  test('a damaged file of contexts or of the instance in this folder', async () => {
    await mkdir(join(folder, 'svc'))
    await writeFile(file, 'broken')
    expect((await svc(['status'])).stderr).toBe(`svc: ${file} is damaged.\nRepair it, or delete it and log in again.\n`)
    await rm(file)
    await mkdir(join(folder, '.svc'))
    await writeFile(join(folder, '.svc', 'first-run.json'), '{"base_url": ')
    expect((await svc(['login'])).stderr).toBe(
      `svc: ${join(folder, '.svc', 'first-run.json')} is damaged.\nLog in with --api-url and --api-key-stdin instead.\n`,
    )
  })

  test('a host name that this machine cannot resolve', async () => {
    const { exit, stderr } = await svc(['status'], {
      env: { SVC_API_URL: 'http://no-such-host.invalid', SVC_API_KEY: KEY },
    })
    expect(exit).toBe(1)
    expect(stderr).toContain('This machine cannot resolve the host name of http://no-such-host.invalid')
    expect(stderr).toContain('Check the address, and the network and DNS of this machine.')
  })
})

describe('CL-02 exit codes of the whole program', () => {
  test.each([
    ['FORBIDDEN', 3],
    ['NOT_FOUND', 4],
    ['INVALID_REQUEST', 5],
    ['CONFLICT', 6],
    ['TIMEOUT', 7],
    ['INTERNAL', 1],
  ] as const)('%s from the server is %i', async (code, exit) => {
    sources = new ServiceError(code, 'No such database.')
    const done = await list()
    expect(done).toMatchObject({ exit, stdout: '' })
    expect(done.stderr).toMatch(/^svc: No such database\.\n.+\n$/)
  })

  test('no login is 3, a wrong option 5, an unknown command 5', async () => {
    expect(await svc(['datasource', 'list'])).toMatchObject({ exit: 3 })
    expect(await svc(['datasource', 'list', '--nope'])).toMatchObject({ exit: 5, stdout: '' })
    expect(await svc(['datasorce'])).toMatchObject({ exit: 5, stdout: '' })
    expect(await svc(['login'])).toMatchObject({ exit: 5, stdout: '' })
  })

  test('Ctrl-C while waiting is 130', async () => {
    sources = undefined
    const child = start(['datasource', 'list'], loggedIn())
    await once(server, 'request')
    child.kill('SIGINT')
    expect(await once(child, 'close')).toEqual([130, null])
  })
})

describe('CL-03 for people and programs', () => {
  test('errors are on stderr with each fault and what to do next', async () => {
    const errors = [{ path: 'limit', message: 'must be at most 100' }]
    sources = new ServiceError('INVALID_REQUEST', 'the request is not valid', { errors })
    const { stdout, stderr } = await list()
    expect(stdout).toBe('')
    expect(stderr.split('\n')).toEqual([
      'svc: the request is not valid',
      '  limit: must be at most 100',
      'Add --help to the command to see what it takes.',
      '',
    ])
  })

  test('off a terminal nothing is coloured, and escape codes in data are not printed', async () => {
    sources = [{ ...DOCS, description: '\u001b[31mred' }]
    const { stdout, stderr } = await list()
    expect(stdout + stderr).not.toContain('\u001b')
  })

  test('help lists every command, a near miss is guessed', async () => {
    const { exit, stdout } = await svc(['--help'])
    expect(exit).toBe(0)
    for (const name of ['login', 'status', 'context', 'datasource']) expect(stdout).toContain(`  ${name} `)
    expect((await svc(['datasorce'])).stderr).toContain('Did you mean datasource?')
  })

  test('asked for JSON, errors are JSON too, wrong usage included', async () => {
    for (const args of [
      ['--json', 'datasource', 'list', '--nope'],
      ['nope', '-o', 'json'],
      ['nope', '--output=json'],
    ]) {
      const { exit, stdout, stderr } = await svc(args)
      expect({ exit, stdout }).toEqual({ exit: 5, stdout: '' })
      expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'INVALID_REQUEST', exit_code: 5 } })
    }
  })

  test('-o yaml prints the same document', async () => {
    const { stdout } = await list('-o', 'yaml')
    expect(parseYaml(stdout)).toEqual({ items: [DOCS], next_cursor: null })
  })

  test('on a terminal the table fits and its head is bold; NO_COLOR and a dumb terminal take that away', async () => {
    sources = [{ ...DOCS, description: 'All manuals, '.repeat(20) }]
    const at = (env: Record<string, string>) =>
      svc(['datasource', 'list'], { env: { ...loggedIn(), ...env }, columns: 80 })
    const { stdout } = await at({})
    expect(stdout).toContain('\u001b[1mID ')
    const plain = stripVTControlCharacters(stdout)
    expect(Math.max(...plain.split('\n').map((line) => line.length))).toBe(80)
    expect(plain).toContain('All manuals, All manuals…')
    expect((await at({ NO_COLOR: '1' })).stdout).not.toContain('\u001b')
    expect((await at({ TERM: 'dumb' })).stdout).not.toContain('\u001b')
  })
})
