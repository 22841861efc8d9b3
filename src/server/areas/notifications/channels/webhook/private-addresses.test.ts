import { buildConnector } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createWebhook } from '#contract/notifications/webhooks.ts'
import { newId } from '#edge/ids.ts'
import { createSealer } from '#lib/crypto/seal.ts'
import { sql } from '#lib/db/sql.ts'
import { type Connect, type Resolve, systemResolve } from '#lib/net/connector.ts'
import { createAddressCheck, createSafeFetch } from '#lib/net/safe-fetch.ts'
import { emit } from '#ports/emit.ts'
import { fakeResolve, type Peer, startPeer } from '#test/outside/internet.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'
import { addSubscription } from '../../subscriptions/store.ts'
import { insertChannel } from '../store.ts'

const PUBLIC_IP = '93.184.215.14'
const PATH = '/Vf7Qk2Zp9xLw4TnB'

/** `PORT` stands for the port of the listening socket. */
const REFUSED_ADDRESSES = [
  // Loopback, in every spelling that the URL standard reads as an IPv4 address.
  'http://127.0.0.1:PORT',
  'http://127.0.0.1.:PORT',
  'http://127.1:PORT',
  'http://127.0.1:PORT',
  'http://127.255.255.254:PORT',
  'http://2130706433:PORT',
  'http://017700000001:PORT',
  'http://0x7f000001:PORT',
  'http://0X7F000001:PORT',
  'http://0177.0.0.1:PORT',
  'http://0177.0.0.01:PORT',
  'http://0x7f.0.0.1:PORT',
  'http://0x7f.1:PORT',
  'http://127.0.0.0x1:PORT',
  'http://%31%32%37.0.0.1:PORT',
  'http://１２７.０.０.１:PORT',
  'http://127。0。0。1:PORT',
  'http://①②⑦.⓪.⓪.①:PORT',
  'http:127.0.0.1:PORT',
  'http:\\\\127.0.0.1:PORT',
  // This host, and names that lead to it.
  'http://0:PORT',
  'http://0.0.0.0:PORT',
  'http://0.1.2.3:PORT',
  'http://localhost:PORT',
  'http://LOCALHOST:PORT',
  'http://localhost.:PORT',
  'http://ⓛocalhost:PORT',
  'http://foo.localhost:PORT',
  'http://localhost.localdomain:PORT',
  'http://127.0.0.1.nip.example:PORT',
  'http://both.example:PORT',
  'http://mapped.example:PORT',
  'http://xn--bcher-kva.example:PORT',
  'http://bücher.example:PORT',
  // IPv6, and IPv4 inside IPv6.
  'http://[::]:PORT',
  'http://[::1]:PORT',
  'http://[0:0:0:0:0:0:0:1]:PORT',
  'http://[::127.0.0.1]:PORT',
  'http://[::ffff:127.0.0.1]:PORT',
  'http://[::ffff:7f00:1]:PORT',
  'http://[0:0:0:0:0:ffff:7f00:1]:PORT',
  'http://[::ffff:0:127.0.0.1]:PORT',
  'http://[::ffff:93.184.215.14]:PORT',
  'http://[64:ff9b::7f00:1]:PORT',
  'http://[64:ff9b::169.254.169.254]:PORT',
  'http://[64:ff9b:1::7f00:1]:PORT',
  'http://[2002:7f00:1::]:PORT',
  'http://[2001:0:7f00:1::]:PORT',
  'http://[::5efe:7f00:1]:PORT',
  'http://[fe80::1]:PORT',
  'http://[fec0::1]:PORT',
  'http://[fc00::1]:PORT',
  'http://[fd12:3456::1]:PORT',
  'http://[ff02::1]:PORT',
  'http://[2001:db8::1]:PORT',
  'http://[100::1]:PORT',
  // Private networks, carriers and reserved ranges.
  'http://10.0.0.5:PORT',
  'http://167772165:PORT',
  'http://012.0.0.5:PORT',
  'http://172.16.0.1:PORT',
  'http://172.31.255.255:PORT',
  'http://192.168.0.1:PORT',
  'http://192.168.257:PORT',
  'http://100.64.0.1:PORT',
  'http://100.127.255.255:PORT',
  'http://192.0.2.1:PORT',
  'http://198.18.0.1:PORT',
  'http://224.0.0.1:PORT',
  'http://240.0.0.1:PORT',
  'http://255.255.255.255:PORT',
  'http://kubernetes.default.svc:PORT',
  // Metadata services of clouds.
  'http://169.254.169.254',
  'http://169.254.43518',
  'http://2852039166',
  'http://0xa9fea9fe',
  'http://0251.0376.0251.0376',
  'http://[::ffff:169.254.169.254]',
  'http://169.254.170.2',
  'http://[fd00:ec2::254]',
  'http://100.100.100.200',
  'http://192.0.0.192',
  'http://168.63.129.16',
  'http://metadata.google.internal',
  'http://metadata.google.internal.',
  // A host that only looks like another one.
  'http://127.0.0.1:PORT#@hooks.example.com',
  'http://127.0.0.1:PORT?@hooks.example.com',
  'http://127.0.0.1:PORT\\@hooks.example.com',
]

const REFUSED_URLS = [
  'http://hooks.example.com@127.0.0.1:PORT',
  'http://hooks.example.com:80@127.0.0.1:PORT',
  'http://127.0.0.1@hooks.example.com',
  'http://:secret@hooks.example.com',
  'http://[::1%25lo]:PORT',
  'http://[fe80::1%lo]:PORT',
  'http://127.0.0.1:PORT:80',
  'http://256.256.256.256:PORT',
  'http://127.0.0.1.1:PORT',
  'http://hooks.example.com:25',
  'http://hooks.example.com:22',
  'ftp://hooks.example.com',
  'gopher://127.0.0.1:PORT',
  'file:///etc/passwd',
  'unix:/run/postgresql',
  'data:text/plain,x',
  '//127.0.0.1:PORT',
  '127.0.0.1:PORT',
]

const REDIRECTS = [
  'http://127.0.0.1:PORT/',
  'http://2130706433:PORT/',
  'http://[::ffff:127.0.0.1]:PORT/',
  '//169.254.169.254/latest/meta-data',
  'http://localhost:PORT/',
  'http://rebinds-at-redirect.example/',
]

/** Names of the test, and the system's own resolver for `localhost`. */
function resolver(): Resolve {
  const loopback = [['127.0.0.1']]
  const fake = fakeResolve({
    'hooks.example.com': [[PUBLIC_IP]],
    'redirects.example': [[PUBLIC_IP]],
    'rebinds.example': [[PUBLIC_IP], ['127.0.0.1']],
    'rebinds-to-ipv6.example': [[PUBLIC_IP], ['::1']],
    'rebinds-at-redirect.example': loopback,
    'localhost.': loopback,
    'foo.localhost': loopback,
    'localhost.localdomain': loopback,
    '127.0.0.1.nip.example': loopback,
    'both.example': [[PUBLIC_IP, '127.0.0.1']],
    'mapped.example': [['::ffff:127.0.0.1']],
    'xn--bcher-kva.example': [['10.0.0.5']],
    'kubernetes.default.svc': [['10.96.0.1']],
    'metadata.google.internal': [['169.254.169.254']],
    'metadata.google.internal.': [['169.254.169.254']],
  })
  return (name) => (name === 'localhost' ? systemResolve(name) : fake(name))
}

/** Every connection, whatever its address, ends at the listening socket and is counted there. */
const connectTo =
  (peer: () => Peer): Connect =>
  ({ addresses: _addresses, signal, host: _host, servername: _servername, ...options }, callback) => {
    const connect = buildConnector({ allowH2: false, timeout: 0, signal })
    connect({ ...options, protocol: 'http:', hostname: '127.0.0.1', port: String(peer().port) }, callback)
  }

describe('NO-08 webhooks at private addresses', () => {
  let system: System
  let peer: Peer
  let admin: Awaited<ReturnType<System['member']>>
  beforeAll(async () => {
    peer = await startPeer((request, response) => {
      const target = new URL(request.url!, 'http://x').searchParams.get('to')
      if (target === null) response.end()
      else response.writeHead(307, { location: target }).end()
    })
    const resolve = resolver()
    system = await startSystem({
      safeFetch: createSafeFetch({ resolve, connect: connectTo(() => peer) }),
      checkAddress: createAddressCheck({ resolve }),
    })
    admin = await system.member('admin')
  })
  afterAll(async () => {
    await system?.[Symbol.asyncDispose]()
    await peer[Symbol.asyncDispose]()
  })

  const withPort = (url: string) => url.replace('PORT', String(peer.port))
  const save = (url: string) => system.client(admin.token).call(createWebhook, { url })
  const failDeploy = (org_id: string) => {
    const app = { id: newId('app'), alias: 'shop', name: 'Shop' }
    const body = { status: 'BUILD_FAILED', actor_id: null, app, deployment_id: newId('dep') } as const
    return system.db.tx((tx) => emit(tx, { type: 'deploy.failed', org_id, occurred_at: new Date(), body }))
  }
  /** Stores webhooks as if their URLs had been accepted, sends an event to all, and returns what became of each. */
  const sendToAll = async (urls: readonly string[]): Promise<Record<string, string>> => {
    const { org_id } = await system.member('admin')
    const ids = new Map<string, string>()
    for (const url of urls) ids.set(await store(org_id, url), url)
    return outcomesOf(org_id, ids)
  }
  const store = async (org_id: string, url: string) => {
    const sealer = createSealer(system.config.secrets.dataKeys)
    const added = { org_id, kind: 'webhook', label: 'x', settings: { per_message: 50 }, secret: url } as const
    const { id } = await system.db.tx((tx) => insertChannel(tx, sealer, added))
    await subscribe(org_id, id)
    return id
  }
  const subscribe = (org_id: string, channel_id: string) =>
    system.db.tx((tx) => {
      const sealer = createSealer(system.config.secrets.dataKeys)
      const common = { owner: 'organization', pattern: 'deploy.*', timing: 'immediately' } as const
      return addSubscription(tx, sealer, { ...common, org_id, channel_id })
    })
  const outcomesOf = async (org_id: string, ids: ReadonlyMap<string, string>): Promise<Record<string, string>> => {
    await failDeploy(org_id)
    const ended = await until(async () => {
      const rows = await system.db.query<{ channel_id: string; outcome: string }>(sql`
        select channel_id, state || coalesce(' ' || reason, '') as outcome from notifications.deliveries
        where org_id = ${org_id} and ended_at is not null`)
      return rows.length === ids.size && rows
    })
    return Object.fromEntries(ended.map(({ channel_id, outcome }) => [ids.get(channel_id)!, outcome]))
  }

  it('are more than 60 different ones', () => {
    expect(new Set([...REFUSED_ADDRESSES, ...REFUSED_URLS]).size).toBe(REFUSED_ADDRESSES.length + REFUSED_URLS.length)
    expect(REFUSED_ADDRESSES.length).toBeGreaterThan(60)
  })

  it('are refused when they are saved, and no connection is opened', async () => {
    for (const address of [...REFUSED_ADDRESSES, ...REFUSED_URLS]) {
      const refusal = await save(`${withPort(address)}${PATH}`).catch((error) => error)
      expect({ address, code: refusal.code }).toEqual({ address, code: 'INVALID_REQUEST' })
    }
    expect(peer.connections).toBe(0)
  })

  it('are refused when an event is sent to them, and no connection is opened', async () => {
    const [addresses, urls] = [REFUSED_ADDRESSES, REFUSED_URLS].map((list) =>
      list.map((address) => `${withPort(address)}${PATH}`),
    )
    expect(await sendToAll([...addresses!, ...urls!])).toEqual({
      ...Object.fromEntries(addresses!.map((url) => [url, 'failed refused_address'])),
      ...Object.fromEntries(urls!.map((url) => [url, 'failed refused_url'])),
    })
    expect(peer.connections).toBe(0)
  })

  it('are refused when the name of a saved URL leads to them later, and no connection is opened', async () => {
    const saved = new Map<string, string>()
    for (const host of ['rebinds.example', 'rebinds-to-ipv6.example']) {
      const { id } = await save(`https://${host}${PATH}`)
      await subscribe(admin.org_id, id)
      saved.set(id, host)
    }
    expect(await outcomesOf(admin.org_id, saved)).toEqual({
      'rebinds.example': 'failed refused_address',
      'rebinds-to-ipv6.example': 'failed refused_address',
    })
    expect(peer.connections).toBe(0)
  })

  it('are not connected to when a public receiver redirects to them', async () => {
    const urls = REDIRECTS.map((to) => `http://redirects.example${PATH}?to=${encodeURIComponent(withPort(to))}`)
    expect(await sendToAll(urls)).toEqual(Object.fromEntries(urls.map((url) => [url, 'failed refused_address'])))
    expect(peer.connections).toBe(REDIRECTS.length)
    expect(peer.received.map(({ headers }) => headers.host)).toEqual(REDIRECTS.map(() => 'redirects.example'))
  })

  it('differ from a public address, whose connection the listening socket does count', async () => {
    const before = peer.connections
    expect(await sendToAll([`https://hooks.example.com${PATH}`])).toEqual({
      [`https://hooks.example.com${PATH}`]: 'sent',
    })
    expect(peer.connections).toBe(before + 1)
  })
})
