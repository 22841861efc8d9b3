import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ActivityRecord, listActivity } from '#contract/activity.ts'
import { listMembers } from '#contract/auth/members.ts'
import { ROLES } from '#contract/core/roles.ts'
import { listSources, MIN_ROLES } from '#contract/data-sources/sources.ts'
import { createDatabase, readConnection } from '#contract/databases.ts'
import { runSvc } from '#test/programs/cli-run.ts'
import { stores } from '#test/stores.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'
import { TYPE_CHOICES } from './activity/index.ts'
import { newRecords } from './activity/new-records.ts'
import { MIN_ROLE_CHOICES } from './datasource/index.ts'
import { ROLE_CHOICES } from './members/index.ts'

type Person = Awaited<ReturnType<System['member']>>

/** One organization with a database, managed by its owner. */
let system: System
let owner: Person
let viewer: Person
let folder: string
beforeAll(async () => {
  system = await startSystem()
  owner = await system.member('owner')
  viewer = await system.member('viewer', owner.org_id)
  folder = await mkdtemp(join(tmpdir(), 'svc-manage-'))
  await system.client(owner.token).call(createDatabase, { name: 'handbook' })
})
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
  await system?.[Symbol.asyncDispose]()
})

const loginOf = (person: Person) => ({ SVC_API_URL: system.url, SVC_API_KEY: person.token, SVC_CONFIG_DIR: folder })
const svc = (line: string, person = owner, options: Parameters<typeof runSvc>[1] = {}) =>
  runSvc(line.split(' '), { ...options, env: { ...loginOf(person), ...options.env } })
const cellsOf = (stdout: string) =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/))

it('CL-03 the choices of the commands are those of the API', () => {
  expect(ROLE_CHOICES).toEqual(ROLES)
  expect(MIN_ROLE_CHOICES).toEqual(MIN_ROLES)
  for (const type of TYPE_CHOICES) expect(listActivity.input.safeParse({ type }).success).toBe(true)
})

describe('OP-08 svc org', () => {
  it('deletes the organization after a question, shows when, and undoes it', async () => {
    const refused = await svc('org delete')
    expect(refused).toMatchObject({ exit: 5, stdout: '' })
    const deleted = await svc('org delete --yes')
    expect(deleted).toMatchObject({ exit: 0 })
    expect(deleted.stdout).toMatch(/ will be deleted at \d{4}-.*Z\. Until then nothing changes, and this undoes it: /)
    expect((await svc('org', viewer)).stdout).toMatch(/It will be deleted at \d{4}-.*Z\. An owner can undo that: /)
    expect((await svc('status', viewer)).stdout).toMatch(/^Deletion +\S+; an owner can undo it: svc org undelete$/m)
    expect(await svc('org undelete', viewer)).toMatchObject({ exit: 3 })
    expect((await svc('org undelete')).stdout).toMatch(/ will not be deleted\.\n$/)
    expect((await svc('org show')).stdout).not.toContain('deleted')
    expect((await svc('status')).stdout).not.toContain('Deletion')
    expect(await svc('org undelete')).toMatchObject({
      exit: 4,
      stderr: 'svc: No such deletion. It may have been undone already.\n',
    })
  })
})

describe('AU-06 AU-07 svc members and svc invitations', () => {
  it('list the members, also without the word list, and refuse those below admin', async () => {
    const { exit, stdout } = await svc('members')
    expect(exit).toBe(0)
    const [header, ...rows] = cellsOf(stdout)
    expect(header).toEqual(['EMAIL', 'NAME', 'ROLE', 'JOINED', 'USER'])
    expect(rows.map(([email, , role, , user]) => `${email} ${role} ${user}`).toSorted()).toEqual([
      `${owner.email} owner ${owner.user_id}`,
      `${viewer.email} viewer ${viewer.user_id}`,
    ])
    expect((await svc('members --json')).stdout).toBe((await svc('members list --json')).stdout)
    expect(await svc('members list', viewer)).toMatchObject({ exit: 3, stdout: '' })
    expect((await svc('members', owner, { columns: 80 })).stdout).toContain('just now')
  })

  it('change a role and remove a member by address', async () => {
    const guest = await system.member('viewer', owner.org_id)
    expect(await svc(`members role ${guest.email} developer`)).toMatchObject({
      exit: 0,
      stdout: expect.stringMatching(`^${guest.email} has the role developer in Org \\w+ now.\n$`) as unknown,
    })
    expect(await svc(`members role ${guest.email} king`)).toMatchObject({ exit: 5, stdout: '' })
    expect(await svc(`members remove ${guest.email}`)).toMatchObject({ exit: 5, stdout: '' })
    expect(await svc(`members remove ${guest.email} --yes`)).toMatchObject({ exit: 0 })
    expect(await svc('members remove nobody@example.com --yes')).toMatchObject({ exit: 4, stdout: '' })
    const { items } = await system.client(owner.token).call(listMembers, { org_id: owner.org_id })
    expect(items.map(({ user_id }) => user_id)).not.toContain(guest.user_id)
  })

  it('create, list, resend and revoke an invitation', async () => {
    const created = await svc('invitations create new@example.com --role developer --json')
    const { id, link, token } = JSON.parse(created.stdout) as { id: string; link: string; token: string }
    system.secrets.push(token)
    expect([created.exit, link]).toEqual([0, expect.stringContaining(token)])
    const listed = await svc('invitations')
    expect(cellsOf(listed.stdout)[1]!.slice(0, 3)).toEqual([id, 'new@example.com', 'developer'])
    const again = await svc(`invitations resend ${id}`)
    expect(again.stdout).toMatch(/^Invited new@example.com as developer\. .+:\nhttp\S+\n$/)
    expect(again.stdout).not.toContain(link)
    // The embedded default keeps mails in its mailbox; with a database server none are sent.
    const place =
      /^No mail server is configured: (?:no mail is sent|mails are in the local mailbox, http\S+\/mailbox, which owners open on the machine of the server)\.$/m
    expect(listed.stderr).toMatch(place)
    for (const { stderr } of [created, again]) {
      expect(stderr).toMatch(place)
      expect(stderr).toContain(
        'Send the link to new@example.com yourself. They sign in by a mailed link, which is in the folder sign-in-mails of the data folder.',
      )
    }
    expect(await svc(`invitations revoke ${id} --yes`)).toMatchObject({ exit: 0 })
    expect(await svc('invitations')).toMatchObject({ exit: 0, stdout: '' })
    expect(await svc('invitations list', viewer)).toMatchObject({ exit: 3, stdout: '' })
  })
})

it('CL-03 svc invitations says where the mail went, and names mailed links only where people sign in by them', async () => {
  const env = {
    SVC_GOOGLE_CLIENT_ID: 'id',
    SVC_GOOGLE_CLIENT_SECRET: 'secret',
    SVC_REDIRECT_BASE_URL: 'https://svc.test',
  }
  await using other = await startSystem({ env })
  const { token } = await other.member('owner')
  const invite = (line: string) =>
    runSvc(line.split(' '), { env: { SVC_API_URL: other.url, SVC_API_KEY: token, SVC_CONFIG_DIR: folder } })
  const { stdout, stderr } = await invite('invitations create new@example.com')
  other.secrets.push(/http\S+/.exec(stdout)![0].split(/[/#=]/).at(-1)!)
  expect(stderr).toContain('Send the link to new@example.com yourself.')
  expect(stderr).not.toContain('mailed link')
  const place = stores.postgres === undefined ? 'in the local mailbox' : 'not sent'
  const listed = await until(async () => {
    const [, row] = cellsOf((await invite('invitations')).stdout)
    return row![4] !== 'waiting' && row
  })
  expect(listed[4]).toContain(place)
})

describe('DS-03 DS-08 svc datasource enable, expose, unexpose and disable', () => {
  const stateOf = async () => {
    const { items } = await system.client(owner.token).call(listSources, {})
    return items.map(({ source_id, enabled, exposed, min_role }) => [source_id, enabled, exposed, min_role])
  }

  it('switch and expose, by the name of the database or the id of the source', async () => {
    const enabled = await svc('datasource enable handbook')
    expect(enabled).toMatchObject({ exit: 0, stdout: 'handbook is a data source now: db_handbook.\n' })
    expect(enabled.stderr).toContain('svc api PUT /api/wf/data-sources/db_handbook --data @search.json')
    expect(await stateOf()).toEqual([['db_handbook', true, false, null]])
    expect(await svc('datasource expose db_handbook')).toMatchObject({ exit: 5 })
    expect(await svc('datasource expose db_handbook --min-role developer')).toMatchObject({
      exit: 0,
      stdout: 'db_handbook can be asked by the role developer and above.\n',
    })
    expect(await svc('datasource unexpose db_handbook')).toMatchObject({ exit: 0 })
    expect(await svc('datasource expose db_handbook')).toMatchObject({ exit: 0 })
    expect(await stateOf()).toEqual([['db_handbook', true, true, 'developer']])
    expect(await svc('datasource disable db_handbook')).toMatchObject({ exit: 0 })
    expect(await stateOf()).toEqual([['db_handbook', false, false, 'developer']])
  })

  it('refuse those below admin and names that do not exist', async () => {
    expect(await svc('datasource enable handbook', viewer)).toMatchObject({ exit: 3, stdout: '' })
    expect(await svc('datasource enable db_nowhere')).toMatchObject({ exit: 4, stdout: '' })
  })
})

describe('DS-02 svc db psql', () => {
  const runWith = async (script: string, line: string) => {
    const bin = await mkdtemp(join(folder, 'bin-'))
    await writeFile(join(bin, 'psql'), `#!/bin/sh\n${script}\n`)
    await chmod(join(bin, 'psql'), 0o755)
    return svc(line, owner, { env: { PATH: `${bin}:/usr/bin:/bin` } })
  }

  it('starts psql with the address as its argument and the password in the environment only', async () => {
    const file = join(folder, 'psql')
    const { exit } = await runWith(`printf '%s\\n' "$@" "$PGPASSWORD" > ${file}`, 'db psql handbook -- -c select')
    expect(exit).toBe(0)
    const { connection_string } = await system.client(owner.token).call(readConnection, { name: 'handbook' })
    const { password, username } = new URL(connection_string)
    const [option, value, address, given] = (await readFile(file, 'utf8')).split('\n')
    expect([option, value, given]).toEqual(['-c', 'select', decodeURIComponent(password)])
    expect(address).toContain(`://${username}@`)
    expect(address).not.toContain(password)
  })

  it('says that options of psql come after --', async () => {
    const { exit, stderr } = await svc('db psql handbook -c select')
    expect(exit).toBe(5)
    expect(stderr).toContain('Unknown option: -c. Options of psql come after --: svc db psql <name> -- -c …')
  })

  it('exits as psql does, and says where it is not installed', async () => {
    expect(await runWith('exit 2', 'db psql handbook')).toMatchObject({ exit: 2, stderr: '' })
    const missing = await svc('db psql handbook', owner, { env: { PATH: '/nonexistent' } })
    expect(missing).toMatchObject({ exit: 1, stdout: '' })
    expect(missing.stderr).toContain('psql is not installed on this machine.')
  })
})

describe('CL-03 svc complete', () => {
  it.each([
    ['databases', 'handbook\n'],
    ['sources', 'db_handbook\n'],
    ['apps', ''],
  ])('%s', async (kind, names) => {
    expect(await svc(`complete ${kind}`)).toEqual({ exit: 0, stdout: names, stderr: '' })
  })

  it('contexts are read from this machine, and a refused login offers nothing', async () => {
    await mkdir(join(folder, 'svc'))
    const contexts = { 'a:80': { api_url: 'http://a', api_key: 'k' }, '$(rm)': { api_url: 'http://a', api_key: 'k' } }
    await writeFile(join(folder, 'svc', 'contexts.json'), JSON.stringify({ current: null, contexts }))
    expect(await svc('complete contexts')).toMatchObject({ stdout: 'a:80\n' })
    const refused = await svc('complete databases', owner, { env: { SVC_API_KEY: 'wrong' } })
    expect(refused).toEqual({ exit: 0, stdout: '', stderr: '' })
  })
})

describe('DS-20 svc activity', () => {
  it('lists questions with the address of who asked, to admins and owners', async () => {
    await svc('datasource enable handbook')
    await svc('datasource expose db_handbook --min-role viewer')
    await svc('datasource query db_handbook hello', viewer)
    expect(await svc('activity')).toMatchObject({
      exit: 0,
      stdout: '',
      stderr: 'No function has been called yet. Questions to data sources: svc activity --type data_sources\n',
    })
    const { stdout } = await svc('activity --type data_sources')
    expect(cellsOf(stdout).map((row) => row.slice(1, 4))).toEqual([
      ['DATA SOURCE', 'BY', 'FROM'],
      ['db_handbook', viewer.email, 'cli'],
    ])
    expect(JSON.parse((await svc('activity --source db_handbook --json')).stdout)).toMatchObject({
      items: [{ target: 'db_handbook', user_id: viewer.user_id }],
    })
    const own = await svc('activity --type data_sources', viewer)
    expect(cellsOf(own.stdout)[1]!.slice(1, 3)).toEqual(['db_handbook', viewer.email])
    expect(await svc('activity --type king')).toMatchObject({ exit: 5 })
  })
})

describe('DS-20 what --watch prints', () => {
  const call = (id: string, status: number | null) => ({ id, status }) as ActivityRecord
  it('prints each call once, oldest first, and one that is under way when it has ended', () => {
    const first = newRecords([call('c', null), call('b', 200), call('a', 200)], new Set(['a']), new Set())
    expect([first.ready.map(({ id }) => id), [...first.waiting]]).toEqual([['b'], ['c']])
    const second = newRecords([call('c', 200), call('b', 200)], new Set(['a', 'b']), first.waiting)
    expect([second.ready.map(({ id }) => id), [...second.waiting]]).toEqual([['c'], []])
  })

  it('prints a call whose status stays unknown at the second look', () => {
    const { ready } = newRecords([call('c', null)], new Set(), new Set(['c']))
    expect(ready).toHaveLength(1)
  })
})
