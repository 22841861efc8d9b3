import { createSocket } from 'node:dgram'
import { lookup } from 'node:dns'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { FirstRun } from '../../../src/server/process/first-start/first-run.ts'
import { until } from '../until.ts'
import { startProcess, untilExample } from './processes.ts'

/**
 * Runs as root in a network namespace of its own whose only way out is the interface `out`, with the resolver on
 * loopback. It uses svc as a new user would and prints every lookup, packet and file that was not asked for.
 */
const [, , folder] = process.argv as [string, string, string]
const [home, temporary, dataDir] = ['home', 'tmp', 'data'].map((name) => join(folder, name)) as [string, string, string]
/** The tenth number of the interface's line; the first eight are of received packets. */
const sentPackets = () => Number(/^ *out:(?: +\d+){9} +(\d+)/m.exec(readFileSync('/proc/net/dev', 'utf8'))![1])

const lookups: string[] = []
const resolver = createSocket('udp4').on('message', (query, { port, address }) => {
  lookups.push(nameIn(query))
  // NXDOMAIN, so that nobody asks again and again.
  const answer = Buffer.from(query)
  answer[2] = 0x81
  answer[3] = 0x83
  resolver.send(answer, port, address)
})
resolver.bind(53, '127.0.0.1')
await once(resolver, 'listening')

const server = await startProcess({ PORT: '0', SVC_DATA_DIR: dataDir, HOME: home, TMPDIR: temporary })
const first = JSON.parse(readFileSync(join(dataDir, 'first-run.json'), 'utf8')) as FirstRun
await untilExample(server)
const question = await call('POST', '/api/wf/slim/data-sources/db_handbook/query', { query: 'my laptop was stolen' })
await until(async () => (await deployments()).some(({ live_deploy }) => live_deploy !== null))
const [app] = await deployments()
await call('PUT', `/api/deploy/orgs/${first.org_id}/maintenance-agent`, { enabled: true, model: 'builtin/detectors' })
await call('PUT', `/api/deploy/deployments/${app!.alias}/maintenance-agent`, { enabled: true })
await call('POST', `/api/deploy/deployments/${app!.alias}/maintenance-agent/runs`, { mode: 'manual' })
const lastRun = async () =>
  (await call('GET', `/api/deploy/deployments/${app!.alias}/maintenance-agent`)).last_run as { status: string }
await until(async () => (await lastRun()).status === 'ended')
const report = { answers: question.count, run: (await lastRun()).status }
const seen = { lookups: [...lookups], packets: sentPackets() }
await server[Symbol.asyncDispose]()
// Shows that a lookup and a packet would have been seen.
await promisify(lookup)('control.test').catch(() => undefined)
connect(9, '192.0.2.2').on('error', () => undefined)
await until(() => sentPackets() > seen.packets && lookups.length > seen.lookups.length)
const files = { home: readdirSync(home), temporary: readdirSync(temporary) }
process.stdout.write(JSON.stringify({ ...report, ...seen, ...files, control: lookups.at(-1) }), () => process.exit())

async function call(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
  const answer = await fetch(`${server.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${first.api_key}`,
      accept: 'application/json',
      'content-type': 'application/json',
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as Record<string, unknown>
}

async function deployments(): Promise<{ alias: string; live_deploy: unknown }[]> {
  return (await call('GET', '/api/deploy/deployments')).items as { alias: string; live_deploy: unknown }[]
}

/** The name in a DNS query: labels with their lengths, after a header of 12 bytes. */
function nameIn(query: Buffer): string {
  const labels: string[] = []
  for (let at = 12; query[at]; at += query[at]! + 1) labels.push(query.toString('latin1', at + 1, at + 1 + query[at]!))
  return labels.join('.')
}
