import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApp } from '#contract/apps/apps.ts'
import { adminCreateOrg, adminCreateToken } from '#contract/auth/auth.ts'
import { createClient } from '#contract/core/client.ts'
import { packSdk } from '../../scripts/pack-sdk.ts'
import { askOnce, load, request } from '../help/load.ts'
import { makeSecrets } from '../help/ours.ts'
import { start } from '../help/processes.ts'
import { commitMs, startStores, storesMissing } from '../help/stores.ts'
import { type Measure, type Speed, startBullmq } from './peer.ts'

/**
 * Measures calls of a function through one worker with everything on (token, role, schema, durable Activity, sealed
 * arguments in Postgres), compared to BullMQ with one worker on the same Redis. Rounds alternate, so that a busy machine
 * slows both; the ratio is what counts. BullMQ's jobs are not durable here, as Redis runs without a log.
 */
const tenth = process.argv.includes('--tenth')
/** A tenth judges no speed, so it only proves that both are called and answer. */
const ROUNDS = tenth ? 1 : 5
const SECONDS = tenth ? 1 : 6
const MANY = 32
const GOAL = 0.5

const missing = storesMissing()
if (missing) {
  console.log(`left out: ${missing}`)
  process.exit(tenth ? 0 : 1)
}
const dir = mkdtempSync(join(tmpdir(), 'svc-functions-run-'))
const stack = new AsyncDisposableStack()
stack.defer(() => rmSync(dir, { recursive: true, force: true }))
try {
  const stores = stack.use(await startStores())
  console.log(`${ROUNDS} rounds of ${SECONDS} s, medians; load ${loadavg()[0]!.toFixed(1)}`)
  console.log(`a durable commit of one row takes ${(await commitMs(stores.databaseUrl)).toFixed(2)} ms on this disk`)
  const ours = await startOurs(stores)
  const peer = stack.use(await startBullmq(stores.redisUrl))
  const ways: [string, Measure][] = [
    ['svc', ours],
    ['BullMQ', peer.measure],
  ]
  for (const concurrency of [MANY, 1]) {
    const speeds = new Map<string, Speed[]>(ways.map(([name]) => [name, []]))
    for (const [, measure] of ways) await measure(concurrency, 1)
    for (let round = 0; round < ROUNDS; round++) {
      for (const [name, measure] of ways) speeds.get(name)!.push(await measure(concurrency, SECONDS))
    }
    report(concurrency, speeds)
  }
} finally {
  await stack.disposeAsync()
}

/** Starts svc in one process, and one worker process from the packed SDK. */
async function startOurs({ databaseUrl, redisUrl }: { databaseUrl: string; redisUrl: string }): Promise<Measure> {
  const secrets = makeSecrets()
  const env = {
    HOST: '127.0.0.1',
    PORT: '0',
    DATABASE_URL: databaseUrl,
    REDIS_URL: `${redisUrl}/1`,
    SVC_DATA_DIR: join(dir, 'svc'),
    SVC_EXAMPLE: 'false',
    ...secrets,
  }
  const main = join(import.meta.dirname, '../../src/server/main.ts')
  const server = stack.use(
    await start(process.execPath, ['--max-semi-space-size=16', main], /svc ready at (\S+)/, { env }),
  )
  const clientOf = (token: string) =>
    createClient({ baseUrl: server.url, fetch, headers: () => ({ authorization: `Bearer ${token}` }) })
  const operator = clientOf(secrets.SVC_OPERATOR_TOKEN)
  const { id: org_id } = await operator.call(adminCreateOrg, { name: 'Bench' })
  const asked = { org_id, email: 'bench@example.com', role: 'developer' as const, name: 'bench' }
  const { token } = await operator.call(adminCreateToken, asked)
  await clientOf(token).call(createApp, { alias: 'bench' })
  await packSdk(join(dir, 'node_modules', '@svc-instance/worker-sdk'))
  copyFileSync(join(import.meta.dirname, 'worker.mjs'), join(dir, 'worker.mjs'))
  const worker = { SVC_API_URL: server.url, SVC_APP: 'bench', SERVER_API_TOKEN: token }
  stack.use(await start(process.execPath, [join(dir, 'worker.mjs')], /ready/, { env: worker }))
  const url = `${server.url}/api/deploy/deployments/bench/functions/greet/calls`
  const headers = { authorization: `Bearer ${token}`, accept: 'application/json' }
  const bytes = request(url, headers, JSON.stringify({ arguments: { name: 'Ada' } }))
  const call = { url, next: () => bytes }
  if (!(await askOnce(call)).includes('Hello Ada')) throw new Error('the function answered something else')
  return (concurrency, seconds) => load(call, concurrency, seconds)
}

function report(concurrency: number, speeds: ReadonlyMap<string, readonly Speed[]>): void {
  console.log(`\n${concurrency} at once`)
  const medians = new Map([...speeds].map(([name, all]) => [name, { ...median(all) }]))
  for (const [name, { perSecond, p50 }] of medians) {
    console.log(`${name.padEnd(8)}${perSecond.toFixed(0).padStart(8)} calls/s   p50 ${p50.toFixed(2)} ms`)
  }
  const ratio = medians.get('svc')!.perSecond / medians.get('BullMQ')!.perSecond
  console.log(`svc / BullMQ ${ratio.toFixed(2)} (goal ${GOAL})`)
}

function median(all: readonly Speed[]): Speed {
  const of = (key: keyof Speed) => all.map((one) => one[key]).sort((a, b) => a - b)[Math.floor(all.length / 2)]!
  return { perSecond: of('perSecond'), p50: of('p50') }
}
