import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, expect, it } from 'vitest'
import { addressList, createInfoReader } from '#edge/listen/request-info.ts'
import { createDirectNetwork } from './network.ts'

const APP_ADDRESS = '127.77.1.2'
const folder = mkdtempSync(join(tmpdir(), 'svc-own-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

// This machine trusts itself as a proxy, so that what an app claims of its address would count.
const trustedProxies = addressList(['::1', '127.0.0.0/8'])
const hops = { sign: () => '', verify: () => undefined }
const readers = [
  createInfoReader({ trustedProxies: addressList([]), hops }),
  createInfoReader({ trustedProxies, hops }),
]

/** Answers whether a request is direct, and the address of its client without and with trust in this machine. */
function describeRequest({ method = '', url = '', headers, socket }: IncomingMessage): string {
  const head = { method, url: `http://x${url}`, headers: headers as Record<string, string> }
  const [plain, trusting] = readers.map((read) => read(head, socket.remoteAddress!))
  return JSON.stringify({ direct: plain!.direct, client: trusting!.clientAddress, host: headers.host })
}

const hasIpv6 = Object.values(networkInterfaces()).some((each) => each?.some(({ address }) => address === '::1'))
const ORIGINS = [
  { host: 'localhost', listen: '127.0.0.1' },
  { host: '127.0.0.1', listen: '127.0.0.1' },
  { host: '127.0.0.2', listen: '127.0.0.2' },
  ...(hasIpv6 ? [{ host: '[::1]', listen: '::1' }] : []),
]

it.each(ORIGINS)('OP-09 an app is never direct where svc has the address $host', async ({ host, listen }) => {
  const own = createServer((incoming, response) => response.end(describeRequest(incoming)))
  await once(own.listen(0, listen), 'listening')
  const name = `${host}:${(own.address() as AddressInfo).port}`
  const path = join(folder, `${listen.replaceAll(':', '-')}-${host.length}.sock`)
  const facts = { path, ownOrigin: `http://${name}`, ownClientAddress: APP_ADDRESS }
  await using _proxy = await createDirectNetwork().openProxy(facts, () => {})
  const ask = async (target: string, before = '') => {
    const socket = connect(path)
    const claims = 'Host: 127.0.0.1\r\nX-Forwarded-For: 203.0.113.9\r\nConnection: close, Via, X-Forwarded-For'
    const bare = 'Host: 127.0.0.1\r\nConnection: close, Via'
    socket.write(`${before}GET ${target} HTTP/1.1\r\n${target.endsWith('claims') ? claims : bare}\r\n\r\n`)
    return JSON.parse(/\{.*\}/.exec(await text(socket))![0]) as unknown
  }
  const tunnel = `CONNECT ${name} HTTP/1.1\r\nHost: ${name}\r\n\r\n`
  const seen = { direct: false, client: APP_ADDRESS, host: name }
  expect(await ask(`http://${name}/metrics`)).toEqual(seen)
  expect(await ask(`http://${name}/claims`)).toEqual(seen)
  expect(await ask('/metrics', tunnel)).toEqual(seen)
  expect(await ask('/claims', tunnel)).toEqual(seen)
  own.close()
})
