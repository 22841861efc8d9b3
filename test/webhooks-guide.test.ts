import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSubscription } from '#contract/notifications/subscriptions.ts'
import { createWebhook } from '#contract/notifications/webhooks.ts'
import { newId } from '#edge/ids.ts'
import { createAddressCheck, createSafeFetch } from '#lib/net/safe-fetch.ts'
import { emit } from '#ports/emit.ts'
import { fakeConnect, fakeResolve, type Peer, startPeer } from '#test/outside/internet.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'
import { signatureHeaders } from '../src/server/areas/notifications/channels/webhook/sign.ts'

const GUIDE = readFileSync(new URL('../docs/webhooks.md', import.meta.url), 'utf8')
const PUBLIC_IP = '93.184.215.14'
const URL_TYPED = 'https://Hooks.example.com/in/Vf7Qk2Zp9xLw4TnB?für=uns'

type Received = { url: string; headers: Record<string, string>; body: string }
type Verify = (url: string, headers: Record<string, string | undefined>, body: Uint8Array) => boolean

function codeOf(language: string): string {
  return new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(GUIDE)![1]!
}

async function verifyInTypeScript(folder: string, { url, headers, body }: Received): Promise<boolean> {
  const file = join(folder, 'verify.ts')
  writeFileSync(file, codeOf('ts'))
  const { verify } = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as { verify: Verify }
  return verify(url, headers, Buffer.from(body))
}

function verifyInPython({ url, headers, body }: Received): boolean {
  const program = `${codeOf('python')}
import json, sys
given = json.load(sys.stdin)
print(verify(given["url"], given["headers"], given["body"].encode()))`
  const input = JSON.stringify({ url, headers, body })
  const { stdout, stderr, error } = spawnSync('python3', ['-c', program], { input, encoding: 'utf8' })
  expect({ stderr, error }).toEqual({ stderr: '', error: undefined })
  return stdout === 'True\n'
}

describe('NO-08 the guide to webhooks', () => {
  let folder: string
  let peer: Peer
  let system: System
  let received: Received
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'svc-guide-'))
    peer = await startPeer()
    const resolve = fakeResolve({ 'hooks.example.com': [[PUBLIC_IP]] })
    const safeFetch = createSafeFetch({ resolve, connect: fakeConnect({ [PUBLIC_IP]: peer }) })
    system = await startSystem({ safeFetch, checkAddress: createAddressCheck({ resolve }) })
    received = await deliver()
  })
  afterAll(async () => {
    await system?.[Symbol.asyncDispose]()
    await peer?.[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true, force: true })
  })

  async function deliver(): Promise<Received> {
    const admin = await system.member('admin')
    const api = system.client(admin.token)
    const { id } = await api.call(createWebhook, { url: URL_TYPED })
    await api.call(createSubscription, { event_type: 'deploy.*', channel_id: id })
    const app = { id: newId('app'), alias: 'cafe', name: 'Café ☕' }
    const body = { status: 'BUILD_FAILED', actor_id: null, app, deployment_id: newId('dep') } as const
    const event = { type: 'deploy.failed', org_id: admin.org_id, occurred_at: new Date(), body } as const
    await system.db.tx((tx) => emit(tx, event))
    const request = await until(() => peer.received[0])
    return { url: URL_TYPED, headers: request.headers as Record<string, string>, body: request.body }
  }

  const old = (minutes: number): Received => {
    const at = new Date(Date.now() - minutes * 60_000)
    return { ...received, headers: signatureHeaders(URL_TYPED, received.body, at) }
  }
  const CASES: [title: string, isValid: boolean, request: () => Received][] = [
    ['a real delivery', true, () => received],
    ['another body', false, () => ({ ...received, body: received.body.replace('BUILD', 'START') })],
    ['the same URL in another spelling', false, () => ({ ...received, url: URL_TYPED.toLowerCase() })],
    ['no signature', false, () => ({ ...received, headers: { ...received.headers, 'x-svc-signature': '' } })],
    ['no timestamp', false, () => ({ ...received, headers: { ...received.headers, 'x-svc-timestamp': '' } })],
    ['a request of four minutes ago', true, () => old(4)],
    ['a request of six minutes ago', false, () => old(6)],
  ]

  it.each(CASES)('tells in TypeScript whether %s is valid: %s', async (_, isValid, request) => {
    expect(await verifyInTypeScript(folder, request())).toBe(isValid)
  })

  it.each(CASES)('tells in Python whether %s is valid: %s', (_, isValid, request) => {
    expect(verifyInPython(request())).toBe(isValid)
  })

  it('has test vectors that the product signs like that', () => {
    const url = /for the URL `([^`]+)`/.exec(GUIDE)![1]!
    expect(GUIDE).toContain(`\`${createHash('sha256').update(url).digest('hex')}\` in hex`)
    const rows = [...GUIDE.matchAll(/^\| `(\d+)` \| `(.+)` \| `(v1=[0-9a-f]{64})` \|$/gm)]
    expect(rows).toHaveLength(2)
    for (const [, timestamp, body, signature] of rows) {
      expect(signatureHeaders(url, body!, new Date(Number(timestamp) * 1000))).toEqual({
        'x-svc-timestamp': timestamp,
        'x-svc-signature': signature,
      })
    }
  })
})
