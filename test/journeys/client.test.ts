import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createToken, revokeToken } from '#contract/auth/tokens.ts'
import { newId } from '#edge/ids.ts'
import { testClock } from '#lib/time/clock.ts'
import { runSvc, startSvc } from '#test/programs/cli-run.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'
import { addToInbox } from '../../src/server/areas/notifications/inbox/store.ts'

const LAUNCHER = join(import.meta.dirname, '..', '..', 'bin', 'svc.js')

let system: System
let folder: string
let owner: { token: string; org_id: string; user_id: string }
let viewer: { token: string }

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-client-'))
  system = await startSystem({ clock: testClock(new Date()) })
  owner = await system.member('owner')
  viewer = await system.member('viewer', owner.org_id)
})
afterAll(async () => {
  await system?.[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

const at = (url: string, key: string) => ({ SVC_API_URL: url, SVC_API_KEY: key, SVC_CONFIG_DIR: folder })
const svc = (args: string[], key = owner.token, stdin?: string) =>
  runSvc(args, { env: at(system.url, key), folder, ...(stdin !== undefined && { stdin }) })
const words = (line: string) => line.match(/"[^"]*"|\S+/g)!.map((word) => word.replaceAll('"', ''))

async function listen(listener: RequestListener): Promise<{ server: Server; url: string }> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
}

describe('CL-02 exit codes against the running server', () => {
  it('401 exits with 3 and says how to log in', async () => {
    const refused = await svc(words('datasource list'), 'svc_not_a_key')
    expect(refused).toMatchObject({ exit: 3, stdout: '' })
    expect(refused.stderr).toBe(
      'svc: Invalid or expired API token\nLog in: svc login --api-url <url> --api-key-stdin\n',
    )
  })

  it('403 exits with 3, as JSON on request', async () => {
    const refused = await svc(words('db create docs --json'), viewer.token)
    expect(refused).toMatchObject({ exit: 3, stdout: '' })
    expect(JSON.parse(refused.stderr)).toMatchObject({ error: { code: 'FORBIDDEN', exit_code: 3 } })
  })

  it('404 exits with 4', async () => {
    for (const line of [
      'db connect nowhere -q',
      'datasource query db_nowhere "who?"',
      'tokens revoke tok_none --yes',
    ]) {
      expect(await svc(words(line))).toMatchObject({ exit: 4, stdout: '' })
    }
  })

  it('400 exits with 5 and names each fault', async () => {
    const refused = await svc(words('db create Not-A-Name'))
    expect(refused).toMatchObject({ exit: 5, stdout: '' })
    expect(refused.stderr).toContain('svc: <name>: must be a lower-case letter, followed by up to 47')
  })

  it('429 exits with 1 and says when to retry', async () => {
    const member = await system.member('developer', owner.org_id)
    const client = system.client(member.token)
    for (let n = 0; n < 30; n++) system.secrets.push((await client.call(createToken, { name: `t${n}` })).token)
    const refused = await svc(words('tokens create more'), member.token)
    expect(refused).toMatchObject({ exit: 1, stdout: '' })
    expect(refused.stderr).toMatch(/^svc: Limit reached: 30 in 3600 seconds\. Try again in \d+ seconds?\.\n$/)
  })

  it('500 exits with 1, from the server or a proxy', async () => {
    for (const body of ['{"code":"INTERNAL","detail":"Internal error."}', '<h1>Oops</h1>']) {
      const { server, url } = await listen((_, response) => {
        response.writeHead(500, { 'content-type': body.startsWith('{') ? 'application/json' : 'text/html' }).end(body)
      })
      const refused = await runSvc(words('datasource list'), { env: at(url, owner.token) })
      await close(server)
      expect(refused).toMatchObject({ exit: 1, stdout: '' })
      expect(refused.stderr).toContain('svc: Internal error.\n')
    }
  })

  it('a timeout exits with 7', async () => {
    const { server, url } = await listen(() => {})
    const refused = await runSvc(words('datasource list --timeout 1'), { env: at(url, owner.token) })
    await close(server)
    expect(refused).toMatchObject({ exit: 7, stdout: '' })
    expect(refused.stderr).toContain(`svc: ${url} did not answer within 1 second.\n`)
  })

  it('a refused connection exits with 1 and names the address', async () => {
    const { server, url } = await listen(() => {})
    await close(server)
    const refused = await runSvc(words('datasource list'), { env: at(url, owner.token) })
    expect(refused).toMatchObject({ exit: 1, stdout: '' })
    expect(refused.stderr).toContain(`svc: Cannot reach ${url} (ECONNREFUSED). Check that it is running.`)
  })

  it('Ctrl-C exits with 130', async () => {
    const { server, url } = await listen(() => {})
    const env = { PATH: process.env.PATH, ...at(url, owner.token) }
    const child = spawn(process.execPath, [LAUNCHER, 'datasource', 'list'], { env, stdio: 'ignore' })
    await once(server, 'request')
    child.kill('SIGINT')
    expect(await once(child, 'exit')).toEqual([130, null])
    await close(server)
  })
})

describe('databases', () => {
  it('DS-01 DS-02 create, list, connect and drop; a second create is 6', async () => {
    expect(await svc(words('db create notes'))).toMatchObject({ exit: 0, stdout: 'The database notes is ready.\n' })
    const again = await svc(words('db create notes'))
    expect(again).toMatchObject({ exit: 6, stdout: '' })
    const { stdout } = await svc(words('db list'))
    expect(stdout).toMatch(/^NAME +STATE +DATA SOURCE +CREATED\nnotes +ready +off +\d{4}-/)
    expect(await svc(words('db connect notes -q'))).toMatchObject({
      exit: 0,
      stderr: '',
      stdout: expect.stringMatching(/^postgres(?:ql)?:\/\/\S+\n$/),
    })
    const unsure = await svc(words('db drop notes'))
    expect(unsure).toMatchObject({ exit: 5, stdout: '' })
    expect(unsure.stderr).toContain('Add --yes to confirm.')
    expect(await svc(words('db drop notes --yes'))).toMatchObject({ exit: 0, stdout: 'Dropped notes.\n' })
    expect(await svc(words('db list'))).toMatchObject({ exit: 0, stdout: '' })
  })
})

describe('tokens', () => {
  it('a token is printed once, without other text, is listed, works, and is revoked', async () => {
    const creation = await svc(words('tokens create nightly --expires-days 2'))
    const token = creation.stdout.trim()
    system.secrets.push(token)
    expect(creation.stdout).toMatch(/^svc_\w+\n$/)
    const id = /Token id: (tok_\w+)\./.exec(creation.stderr)![1]!
    const { items } = JSON.parse((await svc(words('tokens list --json'))).stdout) as { items: Token[] }
    const days = items.map((item) => (item.id === id ? (Date.parse(item.expires_at!) - Date.now()) / 86_400_000 : 0))
    expect(Math.max(...days)).toBeCloseTo(2, 2)
    expect(JSON.parse((await svc(words('status --json'), token)).stdout)).toMatchObject({ principal: { id } })
    expect((await svc(['tokens', 'revoke', id])).exit).toBe(5)
    expect(await svc(['tokens', 'revoke', id, '--yes'])).toMatchObject({ exit: 0, stdout: `Revoked ${id}.\n` })
    expect((await svc(words('status'), token)).exit).toBe(3)
  })

  it('a list longer than a page comes whole, and one cut short says so', async () => {
    const member = await system.member('developer', owner.org_id)
    const client = system.client(member.token)
    for (let n = 0; n < 4; n++) system.secrets.push((await client.call(createToken, { name: `t${n}` })).token)
    const cut = await svc(words('tokens list --limit 3'), member.token)
    expect(cut.stdout.trim().split('\n')).toHaveLength(4)
    expect(cut.stderr).toBe('There are more. Show them with --limit.\n')
    expect(await svc(words('tokens list'), member.token)).toMatchObject({ stderr: '' })
  })

  it('logout --revoke ends the key too', async () => {
    const member = await system.member('viewer', owner.org_id)
    const env = { SVC_CONFIG_DIR: join(folder, 'logout') }
    await runSvc(['login', '--api-url', system.url, '--api-key-stdin'], { env, stdin: member.token })
    expect(await runSvc(['logout', '--revoke'], { env })).toMatchObject({ exit: 0, stderr: '' })
    expect((await svc(words('status'), member.token)).exit).toBe(3)
  })
})

type Token = { id: string; expires_at: string | null }

describe('notifications', () => {
  it('are listed newest first, marked as read, and then no longer unread', async () => {
    const notification = {
      event_type: 'deploy.failed',
      subject: 'The deploy\u001b[2J failed',
      app: 'shop',
      link: '/apps/shop',
    } as const
    const event = {
      ...notification,
      event_id: newId('evt'),
      occurred_at: new Date('2026-02-03T04:05:06.789Z'),
      org_id: owner.org_id,
    }
    const [entry] = await system.db.tx((tx) => addToInbox(tx, event, [owner.user_id]))
    const { stdout } = await svc(words('notifications list'))
    expect(stdout).toMatch(/^ID +WHEN +READ +EVENT +SUBJECT\n/)
    const line = `${entry!.id}  2026-02-03T04:05:06.789Z  no    deploy.failed  The deploy [2J failed`
    expect(stdout.split('\n')[1]).toBe(line)
    for (const _ of [1, 2]) {
      expect(await svc(['notifications', 'ack', entry!.id])).toMatchObject({
        exit: 0,
        stdout: `Marked ${entry!.id} as read.\n`,
      })
    }
    expect(await svc(words('notifications list --unread'))).toMatchObject({ exit: 0, stdout: '' })
  })

  it('an inbox without events is empty, and an unknown notification cannot be marked as read', async () => {
    expect(await svc(words('notifications list --unread --json'))).toMatchObject({
      exit: 0,
      stdout: '{\n  "items": [],\n  "next_cursor": null\n}\n',
      stderr: 'You have read all your notifications.\n',
    })
    expect(await svc(words('notifications ack ntf_none'))).toMatchObject({ exit: 4, stdout: '' })
  })
})

describe('NO-16 svc notifications --follow', () => {
  const notify = async (subject: string) => {
    const rest = { event_type: 'deploy.failed', occurred_at: new Date('2026-02-03T04:05:06.789Z'), link: '/' } as const
    const event = { ...rest, event_id: newId('evt'), subject, org_id: owner.org_id, app: null }
    return (await system.db.tx((tx) => addToInbox(tx, event, [owner.user_id])))[0]!.id
  }
  const start = (line: string, key: string) => startSvc(words(line), { env: at(system.url, key), folder })

  it('prints each notification as it comes, and ends with exit code 3 when the token is revoked', async () => {
    const client = system.client(owner.token)
    const { id, token } = await client.call(createToken, { name: 'follow' })
    system.secrets.push(token)
    const since = await notify('before')
    const text = start(`notifications -f --since ${since}`, token)
    const json = start('notifications --follow --json', token)
    await until(() => json.output() !== '')
    expect(json.output()).toBe(`{"type":"start","id":"${since}"}\n`)
    const one = await notify('The deploy\u001b[2J failed')
    await until(() => text.output() !== '' && json.output().includes(one))
    expect(text.output()).toBe(`2026-02-03T04:05:06.789Z ${one} deploy.failed The deploy [2J failed\n`)
    await client.call(revokeToken, { id })
    await notify('after')
    expect([await text.exit, await json.exit]).toEqual([3, 3])
    expect(text.output().split('\n')).toHaveLength(2)
    expect(json.output().trimEnd().split('\n')).toHaveLength(2)
    const { stdout } = await svc(words(`notifications list --since ${one}`))
    expect(stdout).toMatch(/ after\n$/)
  })

  it('takes no option that only a list has, and refuses a place that is none', async () => {
    expect(await svc(words('notifications --follow --unread'))).toMatchObject({
      exit: 5,
      stderr: expect.stringContaining('--follow can be combined with --since only.'),
    })
    expect(await svc(words('notifications --follow --since ntf_1'))).toMatchObject({
      exit: 5,
      stderr: expect.stringContaining('last_id: must be the id of a notification'),
    })
  })
})

describe('connected agents', () => {
  it('a user without agents has an empty list, and an unknown agent cannot be disconnected', async () => {
    expect(await svc(words('agents list'))).toMatchObject({ exit: 0, stdout: '' })
    expect(await svc(words('agents disconnect nobody'))).toMatchObject({ exit: 5, stdout: '' })
    expect(await svc(words('agents disconnect nobody --yes'))).toMatchObject({ exit: 4, stdout: '' })
  })
})

describe('svc api', () => {
  it('calls any path as the login and prints what was answered', async () => {
    const { exit, stdout } = await svc(words('api get /api/v1/me'))
    expect(exit).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ role: 'owner' })
  })

  it('sends a body from the option, a file or stdin', async () => {
    const file = join(folder, 'body.json')
    const body = (name: string) => JSON.stringify({ name })
    writeFileSync(file, body('From a file'))
    const post = async (data: string, stdin?: string) => {
      const { stdout } = await svc(['api', 'POST', '/api/v1/orgs', '--data', data], owner.token, stdin)
      return (JSON.parse(stdout) as { slug: string }).slug
    }
    expect(await post(body('From the option'))).toBe('from-the-option')
    expect(await post(`@${file}`)).toBe('from-a-file')
    expect(await post('-', body('From stdin'))).toBe('from-stdin')
  })

  it('-i prints status and headers first, and headers of your own go before ours', async () => {
    const { stdout } = await svc([...words('api GET /api/wf/slim/data-sources -i'), '--header', 'Accept: text/yaml'])
    expect(stdout).toMatch(/^HTTP 200/)
    expect(stdout).toMatch(/\ncontent-type: [\w/]*yaml/)
    expect(stdout).toMatch(/\n\nitems: \[\]\nnext_cursor: null\n$/)
  })

  it('a refusal is printed and exits as any other', async () => {
    const { exit, stdout, stderr } = await svc(words('api DELETE /api/v1/tokens/tok_none'))
    expect(exit).toBe(4)
    expect(JSON.parse(stdout)).toMatchObject({ status: 404, code: 'NOT_FOUND' })
    expect(stderr).toBe('svc: The instance answered with 404 (NOT_FOUND).\n')
  })

  it.each([
    ['api FETCH /x', '<method> must be one of GET'],
    ['api GET x', '<path> must begin with a slash, as in /api/v1/me, not x.'],
    ['api GET https://evil.test/', '<path> must begin with a slash, as in /api/v1/me, not https://evil.test/.'],
    ['api GET /x --data {}', 'GET sends no body. Leave out --data.'],
    ['api POST /x --data @/nowhere/at/all', 'Cannot read /nowhere/at/all'],
    ['api GET /x --header nonsense', '--header must be written as "Name: value".'],
  ])('%s is refused before anything is sent', async (line, message) => {
    const { exit, stdout, stderr } = await svc(words(line))
    expect({ exit, stdout }).toEqual({ exit: 5, stdout: '' })
    expect(stderr).toContain(message)
  })

  it('CL-03 on a terminal an answer is indented and cannot steer it', async () => {
    const { server, url } = await listen((request, response) => {
      response.end(request.url === '/json' ? '{"a":"\u009b2J"}' : 'a\u001b[2Jb\n')
    })
    const shown = async (path: string) =>
      (await runSvc(['api', 'GET', path], { env: at(url, owner.token), columns: 80 })).stdout
    expect(await shown('/json')).toBe('{\n  "a": "\\u009b2J"\n}\n')
    expect(await shown('/text')).toBe('a [2Jb\n')
    await close(server)
  })
})

describe('svc console', () => {
  it('prints the sign-in of the instance', async () => {
    const { exit, stdout, stderr } = await svc(words('console'))
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: `Sign in at ${system.url}/auth/login\n` })
    expect(stderr).toMatch(
      /^No browser found\. Open the address yourself\.\nIf the page asks for a code, run svc console in the folder/,
    )
  })

  it('without a login and outside the data folder it says where to run it', async () => {
    const nowhere = join(folder, 'nowhere')
    const env = { SVC_DATA_DIR: nowhere, SVC_CONFIG_DIR: nowhere }
    const { exit, stdout, stderr } = await runSvc(words('console'), { env })
    expect({ exit, stdout }).toEqual({ exit: 3, stdout: '' })
    expect(stderr).toBe(
      `svc: You are not logged in, and there is no instance in ${nowhere}.\n` +
        'Run it in the folder in which the server was started, or log in: svc login --api-url <url> --api-key-stdin\n',
    )
  })

  it('for the instance of this folder the link signs in by the one-time code, also without a login', async () => {
    const dataDir = join(folder, 'data')
    const data = { SVC_DATA_DIR: system.config.dataDir, SVC_CONFIG_DIR: dataDir }
    const first = { base_url: system.url, api_key: owner.token }
    writeFileSync(join(system.config.dataDir, 'first-run.json'), JSON.stringify(first))
    writeFileSync(join(system.config.dataDir, 'sign-in-code'), 'c0de\n')
    const { stdout } = await runSvc(words('console --no-browser --json'), { env: data })
    const code = readFileSync(join(system.config.dataDir, 'sign-in-code'), 'utf8').trim()
    // The code of the server may be too old, so that the client writes one of its own.
    expect(code).toMatch(/^[0-9a-f]{32}$/)
    expect(statSync(join(system.config.dataDir, 'sign-in-code')).mode & 0o777).toBe(0o600)
    expect(JSON.parse(stdout)).toEqual({ url: `${system.url}/#sign-in=${code}`, code, opened: false })
  })

  it('the link that signs in reaches the browser in a file of this user, never as an argument', async () => {
    const { dataDir } = system.config
    const program = join(folder, 'browser')
    writeFileSync(program, '#!/bin/sh\nprintf %s "$*" > "$0.part" && mv "$0.part" "$0.arguments"\n', { mode: 0o755 })
    const env = { SVC_DATA_DIR: dataDir, SVC_CONFIG_DIR: join(folder, 'data'), BROWSER: program }
    expect(JSON.parse((await runSvc(words('console --json'), { env })).stdout)).toMatchObject({ opened: true })
    await until(() => existsSync(`${program}.arguments`))
    const page = join(dataDir, 'open-console.html')
    expect(readFileSync(`${program}.arguments`, 'utf8')).toBe(pathToFileURL(page).href)
    expect(statSync(page).mode & 0o777).toBe(0o600)
    const code = readFileSync(join(dataDir, 'sign-in-code'), 'utf8').trim()
    expect(readFileSync(page, 'utf8')).toContain(`content="0; url=${system.url}/#sign-in=${code}"`)
  })

  it('opens a browser where there is one', async () => {
    const env = { ...at(system.url, owner.token), BROWSER: process.execPath }
    const { stdout, stderr } = await runSvc(words('console --json'), { env })
    expect({ opened: (JSON.parse(stdout) as { opened: boolean }).opened, stderr }).toEqual({ opened: true, stderr: '' })
    const missing = await runSvc(words('console --json'), { env: { ...env, BROWSER: '/no/such/browser' } })
    expect(JSON.parse(missing.stdout)).toMatchObject({ opened: false })
  })

  it('an instance that does not answer is not opened', async () => {
    const { server, url } = await listen(() => {})
    await close(server)
    expect(await runSvc(words('console'), { env: at(url, owner.token) })).toMatchObject({ exit: 1, stdout: '' })
  })
})
