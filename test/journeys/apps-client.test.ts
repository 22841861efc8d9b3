import { stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readEnvironment } from '#contract/apps/environment.ts'
import { listAppPeople, setAppPerson } from '#contract/apps/people.ts'
import { runSvc } from '#test/cli-run.ts'
import { type System, startSystem } from '#test/system.ts'

type Person = Awaited<ReturnType<System['member']>>

let system: System
let owner: Person
let viewer: Person

beforeAll(async () => {
  system = await startSystem()
  owner = await system.member('owner')
  viewer = await system.member('viewer', owner.org_id)
})
afterAll(() => system?.[Symbol.asyncDispose]())

type Options = { as?: Person; stdin?: string; columns?: number }

function svc(args: string[], { as = owner, ...options }: Options = {}) {
  return runSvc(args, { env: { SVC_API_URL: system.url, SVC_API_KEY: as.token }, ...options })
}
const linesOf = (text: string) => text.trimEnd().split('\n')

describe('MA-15 CL-01 svc apps', () => {
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
