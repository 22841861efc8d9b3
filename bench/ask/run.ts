import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { askOnce, type Load, type LoadTarget, load } from '../help/load.ts'
import { agentToken, mcpAsked } from '../help/mcp.ts'
import { makeSecrets, oursAsked, startOurs } from '../help/ours.ts'
import { cpuMs, memoryMb, type Server, untilIdle } from '../help/processes.ts'
import { makeQuestions, startEmbedder } from '../help/questions.ts'
import { makeSource, type Source, TOP_K } from '../help/source.ts'
import { commitMs, startStores, storesMissing } from '../help/stores.ts'
import { DIMENSIONS, SEED } from '../help/vectors.ts'
import { bareAsked, bareMcpAsked, startBare } from './bare.ts'
import { installPeers, PEERS, peerAsked } from './peers.ts'
import { pgbench } from './pgbench.ts'

/**
 * Measures what a question costs with everything on (token, role, quota, durable Activity), compared to the same
 * prepared statement in pgbench and to other servers that offer it as a tool. Rounds alternate, so that a busy machine
 * slows all of them; the ratios are what counts.
 */
const tenth = process.argv.includes('--tenth')
const ROWS = tenth ? 5_000 : 50_000
/** A tenth judges no speed, so it only proves that every way is asked and answers. */
const ROUNDS = tenth ? 1 : 5
const MANY = { concurrency: 32, seconds: tenth ? 1 : 8 }
const ONE = { concurrency: 1, seconds: tenth ? 1 : 4 }
const SETTLE_LIMIT_MS = 120_000
const GOALS = { pgbench: 0.65, Toolbox: 1.2, DBHub: 3 }
const MCP = 'svc, MCP'
const AGENT = 'svc, MCP, an agent'
const BARE = 'node:http and pg'
const BARE_MCP = 'MCP SDK and pg'
const FLOORS = { pgbench: 0.5, Toolbox: 1, DBHub: 2 }

/** One measured way to ask the questions. */
type Way = { name: string; pid: number | undefined; run: (concurrency: number, seconds: number) => Promise<Load> }
type Measure = { many: Load; one: Load; ownMs: number; postgresMs: number; memoryMb: number }

const missing = storesMissing()
if (missing) {
  console.log(`left out: ${missing}`)
  process.exit(tenth ? 0 : 1)
}
const dir = mkdtempSync(join(tmpdir(), 'svc-ask-run-'))
const stack = new AsyncDisposableStack()
stack.defer(() => rmSync(dir, { recursive: true, force: true }))
try {
  const stores = stack.use(await startStores())
  const questions = makeQuestions()
  const { provider } = stack.use(await startEmbedder(questions))
  const secrets = makeSecrets()
  const server = stack.use(await startOurs({ ...stores, provider, dataDir: join(dir, 'svc') }, secrets))
  const source = await makeSource(server.url, secrets.SVC_OPERATOR_TOKEN, stores.databaseUrl, ROWS)
  const bare = stack.use(await startBare(source, 'http'))
  const bareMcp = stack.use(await startBare(source, 'mcp'))
  const ways: Way[] = [
    {
      name: 'pgbench',
      pid: undefined,
      run: (concurrency, seconds) => pgbench(source, questions, concurrency, seconds),
    },
    overHttp('svc', server, oursAsked(server.url, source, questions.length, false)),
    ...(tenth ? [] : [overHttp('svc, new questions', server, oursAsked(server.url, source, questions.length, true))]),
    overHttp(BARE, bare, await checked(bareAsked(bare.url, questions))),
    overHttp(BARE_MCP, bareMcp, await checked(bareMcpAsked(bareMcp.url, questions))),
    ...(await overMcp(server, source, questions, stores.databaseUrl, secrets)),
    ...(await startPeers(source, questions)),
  ]
  // Prepares statements, fills the caches of Postgres and of the embeddings, compiles code.
  for (const way of ways) await way.run(MANY.concurrency, MANY.seconds)
  // A source that is in use is measured half a minute later, by a loop of the same process.
  if (!tenth) await untilIdle(server.pid, SETTLE_LIMIT_MS)
  const results = await measure(ways, stores.postmaster)
  console.log(`a durable commit of one row takes ${(await commitMs(stores.databaseUrl)).toFixed(2)} ms on this disk`)
  process.exitCode = print(results) || tenth ? 0 : 1
} finally {
  await stack.disposeAsync()
}

/** Asks the same questions over MCP, with a user's token and as a connected agent. */
async function overMcp(
  server: Server,
  source: Source,
  questions: readonly string[],
  databaseUrl: string,
  secrets: ReturnType<typeof makeSecrets>,
): Promise<Way[]> {
  const agent = { ...source, token: await agentToken(server.url, databaseUrl, secrets) }
  const way = async (name: string, who: Source, revision: Parameters<typeof mcpAsked>[3]) =>
    overHttp(name, server, await checked(mcpAsked(server.url, who, questions.length, revision)))
  return [
    await way(MCP, source, '2026-07-28'),
    ...(tenth ? [] : [await way('svc, MCP of 2025', source, '2025-11-25')]),
    await way(AGENT, agent, '2026-07-28'),
  ]
}

async function startPeers(source: Source, questions: readonly string[]): Promise<Way[]> {
  if (tenth) {
    console.log('Toolbox and DBHub are left out of a tenth')
    return []
  }
  installPeers()
  const ways: Way[] = []
  for (const peer of PEERS) {
    try {
      const server = stack.use(await peer.start(dir, source))
      ways.push(overHttp(peer.name, server, await checked(peerAsked(server.url, questions))))
    } catch (error) {
      console.log(`${peer.name} is left out: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  return ways
}

/** Checks one response first, because an error answered with 200 would look fast. */
async function checked(asked: LoadTarget): Promise<LoadTarget> {
  const answer = await askOnce(asked)
  if (answer.split('Article number').length <= TOP_K)
    throw new Error(`it does not answer with hits: ${answer.slice(0, 1000)}`)
  return asked
}

function overHttp(name: string, { pid }: Server, asked: LoadTarget): Way {
  return { name, pid, run: (concurrency, seconds) => load(asked, concurrency, seconds) }
}

async function measure(ways: readonly Way[], postmaster: number): Promise<Map<string, Measure[]>> {
  const results = new Map<string, Measure[]>(ways.map(({ name }) => [name, []]))
  for (let round = 0; round < ROUNDS; round++) {
    for (const way of ways) results.get(way.name)!.push(await measureOnce(way, postmaster))
  }
  return results
}

async function measureOnce({ pid, run }: Way, postmaster: number): Promise<Measure> {
  const own = () => (pid === undefined ? 0 : cpuMs(pid))
  const before = { own: own(), postgres: cpuMs(postmaster) }
  const many = await run(MANY.concurrency, MANY.seconds)
  const ownMs = (own() - before.own) / many.asked
  const postgresMs = (cpuMs(postmaster) - before.postgres) / many.asked
  const one = await run(ONE.concurrency, ONE.seconds)
  return { many, one, ownMs, postgresMs, memoryMb: pid === undefined ? 0 : memoryMb(pid) }
}

/** Prints the results. Returns whether no floor is missed. */
function print(results: ReadonlyMap<string, readonly Measure[]>): boolean {
  console.log(
    `${ROWS} rows of ${DIMENSIONS}, HNSW, top ${TOP_K}, fsync on; ${ROUNDS} rounds, medians; seed ${SEED}; load ${loadavg()[0]!.toFixed(1)}`,
  )
  console.log(
    'svc: token, role, quota in Redis and durable Activity; its questions repeat, so their vectors are cached',
  )
  console.log('                     32 at once              one at a time    CPU a question, at 32')
  for (const [name, all] of results) {
    const of = (pick: (one: Measure) => number, digits: number, width: number) =>
      median(all.map(pick)).toFixed(digits).padStart(width)
    console.log(
      `${name.padEnd(19)}${of((m) => m.many.perSecond, 0, 6)}/s  p99 ${of((m) => m.many.p99, 1, 6)} ms  p50 ${of((m) => m.one.p50, 2, 5)} ms  ` +
        `own ${of((m) => m.ownMs, 3, 6)} ms  Postgres ${of((m) => m.postgresMs, 3, 6)} ms  ${of((m) => m.memoryMb, 0, 4)} MB`,
    )
  }
  const ours = results.get('svc')!
  const judged = (Object.keys(FLOORS) as (keyof typeof FLOORS)[]).map((name) => judge(name, ours, results.get(name)))
  const slower = median(ours.map((m, i) => m.one.p50 - results.get('pgbench')![i]!.one.p50))
  console.log(`svc at one: pgbench ${slower < 0 ? '-' : '+'} ${Math.abs(slower).toFixed(2)} ms (goal: at most + 1.2)`)
  const cpuRatio = (name: string, to: string, goal: number) =>
    console.log(
      `own CPU of ${name}: ${median(results.get(name)!.map((m, i) => m.ownMs / results.get(to)![i]!.ownMs)).toFixed(2)} of ${to} (goal: at most ${goal})`,
    )
  cpuRatio('svc', BARE, 2.1)
  cpuRatio(MCP, BARE_MCP, 1)
  cpuRatio(AGENT, BARE_MCP, 1.75)
  const dbhub = results.get('DBHub')
  if (dbhub) {
    const rates = results.get(MCP)!.map((m, i) => m.many.perSecond / dbhub[i]!.many.perSecond)
    console.log(`${MCP} at 32: ${median(rates).toFixed(2)} of DBHub (goal: at least 1.2)`)
  }
  console.log(`svc's memory ${median(ours.map((m) => m.memoryMb)).toFixed(0)} MB without a model (goal: at most 150)`)
  return judged.every((fine) => fine)
}

/** Compares round by round, so that a slow moment of the machine affects both sides of a ratio. */
function judge(name: keyof typeof FLOORS, ours: readonly Measure[], theirs: readonly Measure[] | undefined): boolean {
  if (!theirs) return true
  const ratios = ours.map((m, i) => m.many.perSecond / theirs[i]!.many.perSecond)
  const ratio = median(ratios)
  const rounds = ratios.map((one) => one.toFixed(2)).join(' ')
  console.log(`svc at 32: ${ratio.toFixed(2)} of ${name} (${rounds}); floor ${FLOORS[name]}, goal ${GOALS[name]}`)
  return ratio >= FLOORS[name]
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
}
