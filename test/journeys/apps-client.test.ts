import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { SeverityNumber } from '@opentelemetry/api'
import { OTLPLogExporter as JsonExporter } from '@opentelemetry/exporter-logs-otlp-http'
import { OTLPLogExporter as ProtobufExporter } from '@opentelemetry/exporter-logs-otlp-proto'
import { LoggerProvider, SimpleLogRecordProcessor } from '@opentelemetry/sdk-logs'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { readEnvironment } from '#contract/apps/environment.ts'
import { listAppPeople, setAppPerson } from '#contract/apps/people.ts'
import { runSvc } from '#test/programs/cli-run.ts'
import { type System, startSystem } from '#test/system.ts'

type Person = Awaited<ReturnType<System['member']>>

let system: System
let owner: Person
let viewer: Person

beforeAll(async () => {
  system = await startSystem({ env: { SVC_ALLOW_PROCESS_DEPLOYS: 'true' } })
  owner = await system.member('owner')
  viewer = await system.member('viewer', owner.org_id)
})
afterAll(() => system?.[Symbol.asyncDispose]())

type Options = { as?: Person; stdin?: string; columns?: number }

function svc(args: string[], { as = owner, ...options }: Options = {}) {
  return runSvc(args, { env: { SVC_API_URL: system.url, SVC_API_KEY: as.token }, ...options })
}
const linesOf = (text: string) => text.trimEnd().split('\n')

describe('MA-15 CL-03 svc apps', () => {
  it('creates an app and shows it', async () => {
    const none = await svc(['apps', 'list'])
    expect(none).toMatchObject({ exit: 0, stdout: '' })
    expect(none.stderr).toContain('There are no apps yet.')
    const created = await svc(['apps', 'create', 'shop', '--name', 'The shop', '--start', 'node server.js'])
    expect(created).toMatchObject({ exit: 0, stdout: 'Created the app shop.\n' })
    expect(created.stderr).toMatch(
      /^Once it is deployed it answers at http:\/\/shop--org-[0-9a-f]{8}\.localhost:\d+\n$/,
    )
    const { stdout } = await svc(['apps', 'show', 'shop'])
    expect(stdout).toMatch(/^Alias +shop\nName +The shop\nId +app_\w+\nState +not deployed\n/)
    expect(stdout).toMatch(/\nBuild command +-\nStart command +node server.js\nHealth path +\/\n/)
    const again = await svc(['apps', 'create', 'shop'])
    expect(again).toMatchObject({ exit: 6, stdout: '' })
    expect(again.stderr).toContain('An app with the alias shop already exists. Choose another alias.')
  })

  it('suggests the nearest name that the caller can list', async () => {
    const app = await svc(['apps', 'show', 'shpo'])
    expect(app).toEqual({ exit: 4, stdout: '', stderr: 'svc: No such app `shpo`. Did you mean `shop`?\n' })
    expect((await svc(['tickets', 'list', 'shpo'])).stderr).toBe(app.stderr)
    expect((await svc(['apps', 'show', 'shpo', '--json'])).stderr).toContain('Did you mean `shop`?')
    await svc(['db', 'create', 'handbook'])
    const database = await svc(['db', 'connect', 'handbok'])
    expect(database.stderr).toBe('svc: No such database `handbok`. Did you mean `handbook`?\n')
    await svc(['datasource', 'enable', 'handbook'])
    const source = await svc(['datasource', 'expose', 'db_handbok', '--min-role', 'owner'])
    expect(source.stderr).toBe('svc: No such data source `db_handbok`. Did you mean `db_handbook`?\n')
    await svc(['db', 'create', 'wiki'])
    await svc(['datasource', 'enable', 'wiki'])
    const withoutPrefix = await svc(['datasource', 'query', 'wiki', 'sick days'])
    expect(withoutPrefix.stderr).toBe('svc: No such data source `wiki`. Did you mean `db_wiki`?\n')
    expect((await svc(['db', 'connect', 'db_wiki'])).stderr).toBe(
      'svc: No such database `db_wiki`. Did you mean `wiki`?\n',
    )
    await svc(['checks', 'create', 'shop', 'Front page', '--target', '/'])
    expect((await svc(['checks', 'show', 'shop', 'front'])).stderr).toBe(
      'svc: No such check `front`. Did you mean `Front page`?\n',
    )
  })

  it('suggests neither a name that is far nor one that the caller cannot list', async () => {
    expect((await svc(['apps', 'show', 'warehouse'])).stderr).toBe(
      'svc: No such app `warehouse`.\nList what exists: svc apps list\n',
    )
    const asked = await svc(['datasource', 'query', 'db_handbok', 'sick days'], { as: viewer })
    expect(asked.stderr).toBe('svc: No such data source `db_handbok`.\nList what exists: svc datasource list\n')
  })

  it('changes settings, and refuses a change of nothing', async () => {
    expect(await svc(['apps', 'change', 'shop', '--build', 'make', '--health-path', '/up'])).toMatchObject({
      exit: 0,
      stdout: 'Changed shop.\n',
    })
    const { stdout } = await svc(['apps', 'change', 'shop', '--build', '', '-o', 'json'])
    expect(JSON.parse(stdout).settings).toEqual({
      build_command: null,
      start_command: 'node server.js',
      health_path: '/up',
    })
    expect((await svc(['apps', 'change', 'shop'])).exit).toBe(5)
  })

  it('tables fit 80 columns, also with the longest alias and name', async () => {
    const alias = 'a'.repeat(30)
    await svc(['apps', 'create', alias, '--name', 'n'.repeat(100), '--start', 'run'])
    await svc(['apps', 'env', 'set', alias, `${'N'.repeat(60)}=x`])
    for (const args of [['list'], ['people', 'list', alias], ['env', 'list', alias]]) {
      const { exit, stdout } = await svc(['apps', ...args], { columns: 80 })
      expect(exit).toBe(0)
      const printed = linesOf(stdout).map((line) => stripVTControlCharacters(line))
      expect(printed.length).toBeGreaterThan(1)
      expect(printed.filter((line) => line.length > 80)).toEqual([])
    }
  })

  it('a viewer without a part sees no app, and the JSON is the whole list', async () => {
    expect((await svc(['apps', 'show', 'shop'], { as: viewer })).exit).toBe(3)
    const { stdout } = await svc(['apps', 'list', '--json'], { as: viewer })
    expect(JSON.parse(stdout)).toEqual({ items: [], next_cursor: null })
  })

  it('deletes an app once the alias is typed or --yes is given', async () => {
    await svc(['apps', 'create', 'gone'])
    const refused = await svc(['apps', 'delete', 'gone'])
    expect(refused).toMatchObject({ exit: 5, stdout: '' })
    expect(await svc(['apps', 'delete', 'gone', '--yes'])).toMatchObject({ exit: 0, stdout: 'Deleting gone.\n' })
    expect((await svc(['apps', 'delete', 'never', '--yes'])).exit).toBe(4)
  })
})

describe('MA-15 svc apps people', () => {
  it('adds by address or id, lists and removes', async () => {
    expect(await svc(['apps', 'people', 'add', 'shop', viewer.email.toUpperCase()])).toMatchObject({
      exit: 0,
      stdout: `${viewer.email.toUpperCase()} is builder of shop.\n`,
    })
    await svc(['apps', 'people', 'add', 'shop', viewer.user_id, '--part', 'maintainer'])
    const { stdout } = await svc(['apps', 'people', 'list', 'shop'])
    expect(linesOf(stdout).map((line) => line.split(/ {2,}/).slice(0, 2))).toEqual([
      ['USER', 'PART'],
      [owner.user_id, 'administrator'],
      [viewer.user_id, 'maintainer'],
    ])
    expect(await svc(['apps', 'people', 'remove', 'shop', viewer.email])).toMatchObject({ exit: 0 })
    const { items } = await system.client(owner.token).call(listAppPeople, { alias: 'shop' })
    expect(items.map(({ user_id }) => user_id)).toEqual([owner.user_id])
  })

  it('an unknown address is not found, and who may not list members is told to give the id', async () => {
    const unknown = await svc(['apps', 'people', 'add', 'shop', 'nobody@example.com'])
    expect(unknown.exit).toBe(4)
    expect(unknown.stderr).toContain('has the address nobody@example.com.')
    const part = { alias: 'shop', user_id: viewer.user_id, part: 'administrator' } as const
    await system.client(owner.token).call(setAppPerson, part)
    const byAddress = await svc(['apps', 'people', 'add', 'shop', owner.email], { as: viewer })
    expect(byAddress.exit).toBe(3)
    expect(byAddress.stderr).toContain('Give the user id instead.')
    expect((await svc(['apps', 'people', 'add', 'shop', owner.user_id], { as: viewer })).exit).toBe(0)
  })
})

describe('MA-15 svc apps env', () => {
  const names = async () =>
    (await system.client(owner.token).call(readEnvironment, { alias: 'shop' })).items.map(({ name }) => name)

  it('sets values from arguments and standard input, and prints names only', async () => {
    const set = await svc(['apps', 'env', 'set', 'shop', 'GREETING=hush=hush', 'EMPTY='])
    const secret = await svc(['apps', 'env', 'set', 'shop', 'API_KEY', '-o', 'json'], { stdin: 'hush-key\n' })
    expect([set.exit, secret.exit]).toEqual([0, 0])
    expect(set.stdout).toBe('Set GREETING, EMPTY of shop.\n')
    const list = await svc(['apps', 'env', 'list', 'shop'])
    expect(linesOf(list.stdout).map((line) => line.split(' ')[0])).toEqual(['NAME', 'API_KEY', 'EMPTY', 'GREETING'])
    for (const { stdout, stderr } of [set, secret, list]) expect(stdout + stderr).not.toContain('hush')
  })

  it('asks for a secret on a terminal without showing it', async () => {
    const { exit, stdout, stderr } = await svc(['apps', 'env', 'set', 'shop', 'ASKED'], {
      columns: 80,
      stdin: 'hush-hush\n',
    })
    expect(exit).toBe(0)
    expect(stderr).toContain('Value of ASKED: ')
    expect(stdout + stderr).not.toContain('hush')
    expect(await names()).toContain('ASKED')
  })

  it.each([
    ['no value on standard input', ['NO_VALUE'], 'No value for NO_VALUE on standard input.'],
    ['two names without values', ['ONE', 'TWO'], 'Set them one after the other.'],
    ['a name twice', ['A=1', 'A=2'], 'A is given more than once.'],
    ['a reserved name', ['PORT=80'], 'svc sets PORT itself'],
    ['no variable', [], '<variable> is missing'],
  ])('%s exits with 5', async (_, variables, message) => {
    const before = await names()
    const { exit, stderr } = await svc(['apps', 'env', 'set', 'shop', ...variables])
    expect(exit).toBe(5)
    expect(stderr).toContain(message)
    expect(await names()).toEqual(before)
  })

  it('removes variables', async () => {
    expect((await svc(['apps', 'env', 'unset', 'shop', 'EMPTY', 'GREETING'])).stdout).toBe(
      'Removed EMPTY, GREETING of shop.\n',
    )
    expect(await names()).toEqual(['API_KEY', 'ASKED'])
  })
})

describe('MA-15 svc apps deploy', () => {
  const SERVER = `require('node:http').createServer((_, response) => response.end('up')).listen(process.env.PORT, '127.0.0.1')`
  let folder: string
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'svc-deploy-'))
    await svc(['apps', 'create', 'followed', '--build', 'echo built by $0', '--start', 'node server.js'])
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const follow = (source: string, ...options: string[]) => {
    writeFileSync(join(folder, 'server.js'), source)
    return svc(['apps', 'deploy', 'followed', '--dir', folder, '--follow', ...options])
  }

  it('--follow prints the build until the app is live, and exits with 0', async () => {
    const { exit, stdout, stderr } = await follow(SERVER)
    expect(stdout).toMatch(/^followed is live \(dep_\w+\)\.\n$/)
    expect(exit).toBe(0)
    const printed = linesOf(stderr)
    expect(printed[0]).toMatch(/^Uploading 1 of 1 files \(\d+ bytes\)\.$/)
    expect(printed).toContain('built by /bin/sh')
    const states = printed.flatMap((line) => /^dep_\w+: (\w+)$/.exec(line)?.[1] ?? [])
    expect(states.at(-1)).toBe('live')
    expect(states.indexOf('building')).toBeLessThan(states.indexOf('live'))
  })

  it('--follow exits with 1 and says why once the deploy has failed, and the former revision stays live', async () => {
    const { exit, stdout, stderr } = await follow(
      "for (let n = 1; n < 13; n++) console.error('\\u001b[31mSECRET\\u0007 is not set ' + n); process.exit(3)",
    )
    const [heading, ...lines] = linesOf(stderr).slice(-12)
    expect(heading).toBe('The last lines of the app:')
    expect(lines.slice(0, -1)).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12].map((n) => `  SECRET\ufffd is not set ${n}`))
    expect(lines.at(-1)).toMatch(/^Read the whole log: svc apps logs followed --deploy dep_\w+$/)
    expect(stderr).not.toContain('Deploy failed')
    expect(stdout).toMatch(/^Deploy dep_\w+ failed\. START_FAILED: The app ended while starting: exit code 3\.\n$/)
    expect(exit).toBe(1)
    expect((await svc(['apps', 'show', 'followed'])).stdout).toMatch(/\nState +live, last deploy failed\n/)
    expect((await svc(['apps', 'list'])).stdout).toMatch(/\nfollowed +live, last deploy failed /)
    await svc(['apps', 'change', 'followed', '--build', 'echo broken >&2; exit 2'])
    const build = await follow(`${SERVER} // again`, '-o', 'json')
    expect(build.exit).toBe(1)
    expect(linesOf(build.stderr)).toContain('broken')
    expect(JSON.parse(build.stdout).deploy).toMatchObject({ state: 'failed', failure_code: 'BUILD_FAILED' })
  })

  it('unchanged files keep the message they were stored with, and the command says so', async () => {
    writeFileSync(join(folder, 'server.js'), `${SERVER} // with a message`)
    const deploy = (message: string) =>
      svc(['apps', 'deploy', 'followed', '--dir', folder, '-m', message, '-o', 'json'])
    const first = await deploy('First')
    const { revision } = JSON.parse(first.stdout) as { revision: { id: string } }
    expect(first.stderr).not.toContain('message')
    expect((await deploy('First')).stderr).not.toContain('message')
    const second = await deploy('Second')
    expect(second.stderr).toContain(
      `The files are those of revision ${revision.id}, which was stored with the message "First". The new message is not stored.\n`,
    )
    expect(JSON.parse(second.stdout).revision).toMatchObject({ id: revision.id, message: 'First' })
  })

  it('without --follow exits with 0 as soon as the deploy waits', async () => {
    writeFileSync(join(folder, 'server.js'), `${SERVER} // once more`)
    const { exit, stdout } = await svc(['apps', 'deploy', 'followed', '--dir', folder])
    expect(stdout).toMatch(/^Deploy dep_\w+ of followed is queued\.\n$/)
    expect(exit).toBe(0)
  })
})

describe('MA-15 exporters of OpenTelemetry, set up as the guide says', () => {
  afterEach(() => {
    vi.unstubAllEnvs()
  })

  it.each([
    ['JSON', JsonExporter, undefined],
    ['JSON', JsonExporter, 'gzip'],
    ['protobuf', ProtobufExporter, undefined],
    ['protobuf', ProtobufExporter, 'gzip'],
  ])('send logs in %s', async (format, Exporter, compression) => {
    vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', `${system.url}/api/deploy/deployments/shop/otlp`)
    vi.stubEnv('OTEL_EXPORTER_OTLP_HEADERS', `Authorization=Bearer ${owner.token}`)
    vi.stubEnv('OTEL_EXPORTER_OTLP_COMPRESSION', compression)
    const marker = `${format}-${compression}`
    const provider = new LoggerProvider({ processors: [new SimpleLogRecordProcessor({ exporter: new Exporter() })] })
    provider.getLogger('shop').emit({
      timestamp: new Date('2025-12-24T18:00:00.123Z'),
      severityNumber: SeverityNumber.ERROR,
      severityText: 'ERROR',
      body: `order failed ${marker}`,
      attributes: { order: 42, price: 9.5, paid: false, tags: ['a', 'é'] },
    })
    await provider.shutdown()
    const { stdout } = await svc(['apps', 'logs', 'shop', '--text', marker, '-o', 'json'])
    expect(JSON.parse(stdout).items).toMatchObject([
      {
        text: `order failed ${marker} order=42 price=9.5 paid=false tags=["a","é"]`,
        level: 'error',
        source: 'ingest',
        at: '2025-12-24T18:00:00.123Z',
      },
    ])
  })
})
