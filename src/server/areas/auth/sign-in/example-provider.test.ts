import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, it } from 'vitest'
import { Browser } from '#test/browser/browser.ts'
import { startSystem } from '#test/system.ts'

const APP = 'https://app.example.test'
const SCRIPT = join(import.meta.dirname, '../../../../../examples/identity-provider/start.js')

/** Starts the example and returns the variables that it prints. */
async function startExample() {
  const child = spawn(process.execPath, [SCRIPT, '0', APP], { stdio: ['ignore', 'pipe', 'inherit'] })
  const env: Record<string, string> = {}
  for await (const line of createInterface(child.stdout)) {
    const [, name, value] = /^(SVC_\w+)='?(.*?)'? \\$/.exec(line) ?? []
    if (name) env[name] = value!
    if (name === 'SVC_OIDC_LABEL') break
  }
  return {
    env,
    [Symbol.asyncDispose]: async () => {
      const ended = once(child, 'exit')
      child.kill()
      await ended
    },
  }
}

/** Follows redirects until a page or the address `end`. */
async function follow(browser: Browser, first: string, end: string) {
  let url = first
  for (;;) {
    const response = await browser.go(url, { site: 'cross-site' })
    const location = response.headers.get('location')
    if (location === null || location === end) return { response, url, text: await response.text() }
    url = new URL(location, url).href
  }
}

it('AU-05 svc with the variables of the example identity provider signs people in with it', async () => {
  await using example = await startExample()
  const issuer = example.env.SVC_OIDC_ISSUER!
  await using system = await startSystem({ env: { ...example.env, SVC_TRUSTED_PROXIES: '127.0.0.1' } })
  const browser = new Browser({ [APP]: system.url, [issuer]: issuer })

  let page = await follow(browser, `${APP}/auth/login?return_to=/home`, '/home')
  expect(page.text).toContain('It checks no password.')
  const [, action = ''] = /action="([^"]+)"/.exec(page.text) ?? []
  const submitted = await browser.go(new URL(action, page.url).href, { form: { login: 'pat' } })
  page = await follow(browser, submitted.headers.get('location')!, '/home')

  expect(page.response.headers.get('location')).toBe('/home')
  const me = await browser.go(`${APP}/api/v1/me`)
  expect(await me.json()).toMatchObject({ user: { email: 'pat@example.com', name: 'pat' }, org: null })
})

it('AU-05 the example identity provider says what to paste where, and warns of nothing', async () => {
  const child = spawn(process.execPath, [SCRIPT, '0', 'http://localhost:8090'])
  const output = { out: '', err: '' }
  child.stderr.on('data', (chunk: Buffer) => (output.err += chunk.toString()))
  for await (const chunk of child.stdout) {
    output.out += String(chunk)
    if (output.out.includes('Ctrl-C')) break
  }
  const ended = once(child, 'close')
  child.kill()
  await ended
  expect(output.err).toBe('')
  expect(output.out).not.toContain('WARNING')
  expect(output.out).toContain(" \\\nSVC_OIDC_LABEL='the example' \\\nPORT=8090 npm start\n")
  expect(output.out).toContain('Open http://localhost:8090/auth/login')
})

it('AU-05 a sign-in page of the example that nobody asked for says so', async () => {
  await using example = await startExample()
  const page = await fetch(`${example.env.SVC_OIDC_ISSUER}/sign-in/none`)
  expect([page.status, await page.text()]).toEqual([400, expect.stringContaining('begin again')])
})

it.each([
  ['--help', 0],
  ['-h', 0],
  ['--prot', 2],
  ['nine', 2],
])('AU-05 the example identity provider explains itself with %s', (argument, status) => {
  const run = spawnSync(process.execPath, [SCRIPT, argument], { encoding: 'utf8' })
  expect(run.status).toBe(status)
  expect(status === 0 ? run.stdout : run.stderr).toContain(
    'Usage: node examples/identity-provider/start.js [port] [address of svc]',
  )
})
