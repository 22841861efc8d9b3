import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { Pool } from 'undici'

/**
 * Measures the cost of the edge: an authenticated operation through all of it, compared to a bare node:http server with
 * the same response. Rounds alternate, so that a busy machine slows both; the ratios are what counts.
 */
const tenth = process.argv.includes('--tenth')
const REQUESTS = tenth ? 2_000 : 20_000
const ROUNDS = tenth ? 1 : 5
const CONCURRENCY = 32

type Server = { child: ChildProcess; url: string; token: string }
type Round = { perSecond: number; cpuMicros: number }

const bare = await start('bare')
const ours = await start('svc')
const rounds: { bare: Round[]; ours: Round[] } = { bare: [], ours: [] }
try {
  await load(bare, REQUESTS / 2)
  await load(ours, REQUESTS / 2)
  for (let round = 0; round < ROUNDS; round++) {
    rounds.bare.push(await load(bare, REQUESTS))
    rounds.ours.push(await load(ours, REQUESTS))
  }
  print()
} finally {
  for (const { child } of [bare, ours]) child.disconnect()
}

async function start(name: string): Promise<Server> {
  const child = fork(join(import.meta.dirname, 'server.ts'), [name], {
    // One log line per request at level info, as in a cluster. The output is discarded.
    stdio: ['ignore', 'inherit', 'ignore', 'ipc'],
  })
  const died = once(child, 'exit').then(([code]) => Promise.reject(new Error(`${name} ended with ${String(code)}`)))
  const [message] = (await Promise.race([once(child, 'message'), died])) as [{ url: string; token: string }]
  return { child, ...message }
}

async function cpuOf({ child }: Server): Promise<number> {
  child.send('cpu')
  const [usage] = (await once(child, 'message')) as [NodeJS.CpuUsage]
  return usage.user + usage.system
}

async function load(server: Server, requests: number): Promise<Round> {
  const { origin, pathname } = new URL(server.url)
  const pool = new Pool(origin, { connections: CONCURRENCY })
  const headers = { authorization: `Bearer ${server.token}` }
  let left = requests
  const client = async () => {
    while (left-- > 0) {
      const { statusCode, body } = await pool.request({ path: pathname, method: 'GET', headers })
      await body.dump()
      if (statusCode !== 200) throw new Error(`answered ${statusCode}`)
    }
  }
  const cpuBefore = await cpuOf(server)
  const started = performance.now()
  await Promise.all(Array.from({ length: CONCURRENCY }, client))
  const seconds = (performance.now() - started) / 1000
  const cpuMicros = ((await cpuOf(server)) - cpuBefore) / requests
  await pool.close()
  return { perSecond: requests / seconds, cpuMicros }
}

function print(): void {
  const [b, o] = [median(rounds.bare), median(rounds.ours)]
  console.log(`${ROUNDS} rounds of ${REQUESTS} requests at concurrency ${CONCURRENCY}, medians; nothing is random`)
  console.log(`bare node:http   ${b.perSecond.toFixed(0)} requests/s   ${b.cpuMicros.toFixed(0)} us CPU a request`)
  console.log(`svc edge         ${o.perSecond.toFixed(0)} requests/s   ${o.cpuMicros.toFixed(0)} us CPU a request`)
  console.log(`throughput       ${(o.perSecond / b.perSecond).toFixed(2)} of bare (goal: 0.50 or more)`)
  console.log(
    `CPU              ${(o.cpuMicros / b.cpuMicros).toFixed(2)} times bare, ${(o.cpuMicros - b.cpuMicros).toFixed(0)} us our own`,
  )
}

function median(values: Round[]): Round {
  const pick = (of: (round: Round) => number) => values.map(of).sort((x, y) => x - y)[Math.floor(values.length / 2)]!
  return { perSecond: pick((round) => round.perSecond), cpuMicros: pick((round) => round.cpuMicros) }
}
