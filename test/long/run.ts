import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { revokeWhileAsking } from '#test/agents/revocations.ts'
import { deliveryKills } from '#test/deliveries/delivery-kills.ts'
import { killRounds } from '#test/deliveries/kill-rounds.ts'
import { queueKills } from '#test/deliveries/queue-kills.ts'
import { longCalls } from '#test/programs/long-calls.ts'
import { openOwnDatabase, startOwnSystem } from '#test/programs/own-system.ts'
import { startProcess } from '#test/programs/processes.ts'
import { disableRaces, WITHOUT_WORKER } from '#test/work/disable-races.ts'
import { sameKey } from '#test/work/same-key.ts'
import type { FirstRun } from '../../src/server/process/first-start/first-run.ts'

/** Proofs that take minutes. CI runs a tenth of each; `npm run test:long` runs them whole. */
const seed = Number(process.argv[2] ?? Math.floor(Math.random() * 1e6) + 1)
await proveWrites()
await proveDeliveries()
await proveSwitch()
await proveRevocations()

async function proveWrites(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-long-'))
  const env = { PORT: '0', SVC_DATA_DIR: folder, SVC_EXAMPLE: 'false' }
  try {
    await (await startProcess(env))[Symbol.asyncDispose]()
    const { operator_token } = JSON.parse(readFileSync(join(folder, 'first-run.json'), 'utf8')) as FirstRun
    const report = await killRounds({ env, operatorToken: operator_token, rounds: 20, seed })
    console.log(`kill -9, seed ${seed}: ${JSON.stringify(report, null, 2)}`)
    if (report.lost.length > 0) process.exitCode = 1
    const answers = await longCalls(folder)
    console.log(`calls of a model that is silent for more than a minute: ${JSON.stringify(answers)}`)
    if (answers.some((answer) => answer !== 'Hello there, friend.')) process.exitCode = 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function proveDeliveries(): Promise<void> {
  if (!process.env.SVC_TEST_DATABASE_URL) {
    console.log('notifications: skipped, needs Postgres, set SVC_TEST_DATABASE_URL')
    return
  }
  const schedule = { kills: 100, events: 20_000, seed }
  const report = await deliveryKills(schedule)
  console.log(`notifications: ${JSON.stringify(report, null, 2)}`)
  const peer = await queueKills(schedule)
  console.log(`graphile-worker on the same schedule: ${JSON.stringify(peer, null, 2)}`)
  console.log(`duplicates: ${report.duplicates.length} of ours, ${peer.duplicates} of graphile-worker`)
  const { duplicates, lost, untrue, unknown, max_unknown } = report
  if (duplicates.length + lost.length + untrue.length > 0 || unknown > max_unknown) process.exitCode = 1
}

async function proveSwitch(): Promise<void> {
  if (!process.env.SVC_TEST_DATABASE_URL) {
    console.log('maintenance: skipped, needs Postgres, set SVC_TEST_DATABASE_URL')
    return
  }
  await using system = await startOwnSystem(WITHOUT_WORKER)
  const report = await disableRaces(system, { rounds: 300, seed })
  console.log(`maintenance switched off while a run works: ${JSON.stringify(report, null, 2)}`)
  if (report.late.length > 0) process.exitCode = 1
  const { answers, runs } = await sameKey(system, { processes: 20 })
  const isOne = runs.length === 1 && answers.length === 20 && answers.every((answer) => answer === runs[0])
  console.log(`maintenance started from ${answers.length} processes with one key: ${runs.length} run`)
  if (!isOne) process.exitCode = 1
}

async function proveRevocations(): Promise<void> {
  if (!process.env.SVC_TEST_DATABASE_URL || !process.env.SVC_TEST_REDIS_URL) {
    console.log('revocations: skipped, needs Postgres and Redis, set SVC_TEST_DATABASE_URL and SVC_TEST_REDIS_URL')
    return
  }
  await using stack = new AsyncDisposableStack()
  const report = await revokeWhileAsking(await openOwnDatabase(stack), { questions: 10_000, revocations: 50, seed })
  console.log(`revocations while questions are asked, seed ${seed}: ${JSON.stringify(report, null, 2)}`)
  if (report.late.length + report.lost.length > 0) process.exitCode = 1
}
