import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  Client,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import type { Browser, BrowserContext } from 'playwright-core'
import { pack } from 'tar-stream'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createApp, readApp } from '#contract/apps/apps.ts'
import { followDeploy, startDeploy } from '#contract/apps/deploys.ts'
import { searchLogs } from '#contract/apps/logs.ts'
import { uploadRevision } from '#contract/apps/revisions.ts'
import { type Client as ApiClient, createClient } from '#contract/core/client.ts'
import { callTool, PLATFORM_TOOLS } from '#test/agents/mcp.ts'
import { launchChromium, openContext } from '#test/browser/chromium.ts'
import { freePort } from '#test/free-port.ts'
import { type ServerProcess, startProcess, untilExample } from '#test/programs/processes.ts'
import { needs } from '#test/stores.ts'
import { until } from '#test/until.ts'
import type { FirstRun } from '../../src/server/process/first-start/first-run.ts'
import { failuresOf, runConformance } from '../conformance/run.ts'

const INSPECTOR = join(
  import.meta.dirname,
  '../../node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js',
)
const QUESTION = { id: 'db_handbook', query: 'my laptop was stolen, what now?', top_k: 1 }

/** Agents nobody here wrote, given nothing but an address; a person in a real browser approves them. */
needs('chromium')('from an unknown address to an answer', () => {
  let folder: string
  let server: ServerProcess
  let browser: Browser
  let person: BrowserContext
  let platform: string

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'svc-connect-'))
    server = await startProcess({ PORT: '0', SVC_DATA_DIR: join(folder, 'data') })
    await untilExample(server)
    platform = `${server.url}/mcp/platform`
    browser = await launchChromium()
    person = await openContext(browser, { viewport: { width: 390, height: 844 }, javaScriptEnabled: false })
  })
  afterAll(async () => {
    await browser?.close()
    await server?.[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true, force: true })
  })

  /**
   * Opens the address an agent gives, signs in where asked, and approves. The page is left open: Chromium can drop a
   * close that meets the arrival of a new document, and Playwright then waits for it without end (crbug.com/536385539).
   */
  async function approve(address: string): Promise<void> {
    const page = await person.newPage()
    await page.goto(address)
    if (page.url().includes('/auth/local')) {
      await page.getByLabel('Code').fill(readFileSync(join(folder, 'data', 'sign-in-code'), 'utf8').trim())
      await page.getByRole('button', { name: 'Sign in' }).click()
    }
    await page.getByText('This agent asks to act for').waitFor()
    if (process.env.SVC_TEST_SCREENSHOTS)
      await page.screenshot({ path: `${process.env.SVC_TEST_SCREENSHOTS}/consent.png` })
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.waitForURL((url) => url.origin !== server.url, { waitUntil: 'commit' })
  }

  it('AU-10 the official client connects, asks, and is refused once it is disconnected', async () => {
    await using callback = await openCallback()
    const provider = memoryProvider(callback.url, approve)
    const transport = () => new StreamableHTTPClientTransport(new URL(platform), { authProvider: provider })
    const first = transport()
    const client = () => new Client({ name: 'journey', version: '0' }, { versionNegotiation: { mode: 'auto' } })
    await expect(client().connect(first)).rejects.toBeInstanceOf(UnauthorizedError)
    await first.finishAuth(await callback.received)

    const connected = client()
    await connected.connect(transport())
    const { tools } = await connected.listTools()
    expect(tools.map(({ name }) => name)).toEqual(PLATFORM_TOOLS)
    const answer = await connected.callTool({ name: 'data_source_query', arguments: QUESTION })
    expect(answer.structuredContent).toMatchObject({ count: 1, results: [{ id: 'lost-devices' }] })

    const { api_key } = JSON.parse(readFileSync(join(folder, 'data', 'first-run.json'), 'utf8')) as FirstRun
    const headers = { authorization: `Bearer ${api_key}` }
    const agents = (await (await fetch(`${server.url}/api/v1/agents`, { headers })).json()) as {
      items: { id: string; client_name: string; last_used_at: string | null }[]
    }
    expect(agents.items[0]).toMatchObject({ client_name: 'journey agent', last_used_at: expect.any(String) })
    const gone = await fetch(`${server.url}/api/v1/agents/${agents.items[0]!.id}`, { method: 'DELETE', headers })
    expect(gone.status).toBe(200)
    // Not through the client: it would ask the person again.
    const { access_token } = (await provider.tokens())!
    expect((await callTool(platform, access_token, 'data_source_query', QUESTION)).status).toBe(401)
  })

  it('AU-10 Inspector connects and asks', async () => {
    const port = await freePort()
    const args = [
      '--cli',
      platform,
      '--transport',
      'http',
      '--method',
      'tools/call',
      '--tool-name',
      'data_source_query',
    ]
    const asked = [
      '--tool-args-json',
      JSON.stringify(QUESTION),
      '--callback-url',
      `http://127.0.0.1:${port}/oauth/callback`,
    ]
    const child = spawn(process.execPath, [INSPECTOR, ...args, ...asked, '--format', 'json'], {
      env: { PATH: process.env.PATH, HOME: folder, MCP_AUTO_OPEN_ENABLED: 'true' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const output = { out: '', err: '' }
    let opened = false
    const look = (text: string) => {
      const address = /https?:\/\/\S+\/oauth\/authorize\?\S+(?=\s)/.exec(text)?.[0]
      if (!address || opened) return
      opened = true
      approve(address).catch((error: unknown) => {
        output.err += String(error)
        child.kill()
      })
    }
    const collect = (which: 'out' | 'err') => (chunk: Buffer) => {
      output[which] += chunk.toString()
      look(output[which])
    }
    child.stdout.on('data', collect('out'))
    child.stderr.on('data', collect('err'))
    await once(child, 'close')
    expect(output.out, output.err).toContain('lost-devices')
  })

  it('AU-10 the commands of the guide register, get a token and ask, with curl alone', async () => {
    const guide = readFileSync(join(import.meta.dirname, '../../docs/connect-an-agent.md'), 'utf8')
    const [, section] = /^### Try OAuth with curl$([\s\S]*?)^### /m.exec(guide)!
    const script = [...section!.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block).join('')
    const port = String(await freePort())
    const child = spawn(
      'bash',
      ['-c', script.replaceAll('http://127.0.0.1:8080', server.url).replaceAll('9999', port)],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    let out = ''
    const approved = Promise.withResolvers<void>()
    child.stdout.on('data', (chunk: Buffer) => {
      const before = out
      out += chunk.toString()
      const address = /^http\S+\/oauth\/authorize\?\S+(?=\n)/m
      if (!address.test(before) && address.test(out)) approved.resolve(approve(address.exec(out)![0]))
    })
    child.on('close', () => approved.resolve())
    const closed = once(child, 'close')
    await approved.promise
    await closed
    expect(out).toContain('"authorization_servers"')
    expect(out).toContain('"registration_endpoint"')
    expect(out).toContain('"id":"lost-devices"')
  })

  it('MA-15 the example app of the first start goes live by itself, answers in a browser and has a log', async () => {
    const owner = ownerOf(server, folder)
    const app = await until(async () => {
      const { url, live_deploy } = await owner.call(readApp, { alias: 'hello' })
      return live_deploy !== null && { url: url!, deploy_id: live_deploy.id }
    })
    const page = await person.newPage()
    await page.goto(app.url)
    expect(await page.getByRole('heading').innerText()).toBe('Hello from svc')
    const find = (text: string) =>
      until(async () => (await owner.call(searchLogs, { alias: 'hello', text, deploy_id: app.deploy_id })).items[0])
    expect(await find('request /')).toMatchObject({ level: 'info', source: 'app' })
    expect(await find('orders.js')).toMatchObject({ level: 'error', source: 'app' })
  })

  it('MA-15 an app at its own origin never gets the session of a signed-in person, and cannot use it', async () => {
    const app = await deployMirror(ownerOf(server, folder))
    // The name of the console that is nearest to `*.localhost`.
    const consoleUrl = `http://localhost:${new URL(server.url).port}`
    const context = await openContext(browser)
    const page = await context.newPage()
    await page.goto(`${consoleUrl}/auth/local`)
    await page.getByLabel('Code').fill(readFileSync(join(folder, 'data', 'sign-in-code'), 'utf8').trim())
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL((url) => url.pathname !== '/auth/local')
    const session = (await context.cookies(consoleUrl)).find(({ name }) => name === 'svc_session')!
    const useSession = (url: string, init: RequestInit) => fetch(url, init).then(({ status }) => status, String)
    const mint = `${consoleUrl}/api/v1/sessions/token`
    const inPage = async (url: string, init: RequestInit): Promise<unknown> =>
      page.evaluate(`(${useSession.toString()})(${JSON.stringify(url)}, ${JSON.stringify(init)})`)
    expect(await inPage(mint, { method: 'POST' })).toBe(200)

    const first = await page.goto(app)
    expect((await first!.request().allHeaders()).cookie).toBeUndefined()
    expect(await page.evaluate('document.cookie')).toBe('own=1')
    // Even if the browser had the cookie for the app's host too, the app would not get it.
    await context.addCookies([{ name: session.name, value: session.value, url: app, httpOnly: true }])
    const again = await page.goto(app)
    expect((await again!.request().allHeaders()).cookie).toContain(session.value)
    const seen = JSON.parse(await page.locator('pre').innerText()) as string[]
    expect(seen).toEqual(['', 'own=1'])
    // The app's cookie did not reach the console or other apps.
    expect((await context.cookies(consoleUrl)).map(({ name }) => name)).not.toContain('own')

    const include = { credentials: 'include' } as const
    expect(await inPage(`${consoleUrl}/api/v1/me`, include)).toBe('TypeError: Failed to fetch')
    expect(await inPage(mint, { ...include, method: 'POST' })).toBe('TypeError: Failed to fetch')
    const answered = page.waitForResponse(mint)
    await inPage(mint, { ...include, method: 'POST', mode: 'no-cors' })
    expect([401, 403]).toContain((await answered).status())
  })

  it('AU-10 the conformance suite finds nothing wrong with the authorization server', async () => {
    const port = await freePort()
    // The first of them says whom the registration counts for; one address has five.
    const redirect_uris = ['https://conformance.example/', `http://127.0.0.1:${port}/callback`]
    const registered = await fetch(`${server.url}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_name: 'conformance', redirect_uris }),
    })
    const { client_id } = (await registered.json()) as { client_id: string }
    let approved: Promise<void> | undefined
    let heard = ''
    const args = [
      'authorization',
      '--url',
      server.url,
      '--client-id',
      client_id,
      '--resource',
      platform,
      '-p',
      String(port),
    ]
    const results = await runConformance(args, (text) => {
      heard += text
      const address = /https?:\/\/\S+\/oauth\/authorize\?\S+(?=\s)/.exec(heard)?.[0]
      // It prints the address a moment before it listens for who comes back.
      if (!address || approved || !heard.includes('Callback server started')) return
      approved = approve(address)
    })
    await approved
    expect(failuresOf(results), results.output).toEqual([])
    const passed = [...results.scenarios.values()].flat().filter(({ status }) => status === 'SUCCESS')
    expect(passed.length, results.output).toBeGreaterThanOrEqual(3)
  })
})

const MIRROR = `
  const seen = []
  require('node:http').createServer((request, response) => {
    if (request.url === '/') seen.push(request.headers.cookie ?? '')
    response.writeHead(200, { 'content-type': 'text/html', 'set-cookie': 'own=1; Domain=localhost; Path=/' })
    response.end('<!doctype html><link rel="icon" href="data:,"><pre>' + JSON.stringify(seen) + '</pre>')
  }).listen(process.env.PORT, '127.0.0.1')`

/** A client with the key of the first owner. */
function ownerOf({ url }: ServerProcess, folder: string): ApiClient {
  const { api_key } = JSON.parse(readFileSync(join(folder, 'data', 'first-run.json'), 'utf8')) as FirstRun
  return createClient({ baseUrl: url, fetch, headers: () => ({ authorization: `Bearer ${api_key}` }) })
}

/** Deploys an app that shows which cookies it got for its page, and returns its address. */
async function deployMirror(client: ApiClient): Promise<string> {
  const settings = { start_command: 'node server.js', health_path: '/healthz' }
  const app = await client.call(createApp, { alias: 'mirror', settings })
  const archive = pack()
  archive.entry({ name: 'server.js' }, MIRROR)
  archive.finalize()
  const { id: revision_id } = await client.upload(uploadRevision, { alias: 'mirror' }, archive)
  const { id: deploy_id } = await client.call(startDeploy, { alias: 'mirror', revision_id })
  let state = ''
  for await (const event of client.stream(followDeploy, { alias: 'mirror', deploy_id })) {
    if (event.type === 'state') state = event.state
  }
  expect(state).toBe('live')
  return app.url!
}

function memoryProvider(redirectUrl: string, open: (address: string) => Promise<void>): OAuthClientProvider {
  let client: StoredOAuthClientInformation | undefined
  let tokens: StoredOAuthTokens | undefined
  let verifier = ''
  let discovered: OAuthDiscoveryState | undefined
  return {
    redirectUrl,
    clientMetadata: { client_name: 'journey agent', redirect_uris: ['https://journey.example/', redirectUrl] },
    clientInformation: () => client,
    saveClientInformation: (information) => {
      client = information
    },
    tokens: () => tokens,
    saveTokens: (fresh) => {
      tokens = fresh
    },
    redirectToAuthorization: (url) => open(url.href),
    saveDiscoveryState: (state) => {
      discovered = state
    },
    discoveryState: () => discovered,
    saveCodeVerifier: (text) => {
      verifier = text
    },
    codeVerifier: () => verifier,
  }
}

async function openCallback() {
  const received = Promise.withResolvers<URLSearchParams>()
  const server = createServer((request, response) => {
    received.resolve(new URL(request.url ?? '', 'http://127.0.0.1').searchParams)
    response.end('you can close this')
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`
  return { url, received: received.promise, [Symbol.asyncDispose]: async () => void server.close() }
}
