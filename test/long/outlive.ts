import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { killAgain, type Victim } from '#test/apps/kills.ts'
import { outlive } from '#test/apps/outlive.ts'

/**
 * `node test/long/outlive.ts`: 20 kills, restarts and upgrades of the server while two apps answer 100 requests a second and
 * hold 50 WebSockets, and then kills of the door, the server and the keeper. `--part load`, `door`, `server` or `keeper`
 * runs one of them, `--times 5` another number, `--rate 20` fewer requests a second. CI runs a part of the first.
 */
const OPTIONS = { part: { type: 'string' }, times: { type: 'string' }, rate: { type: 'string' } } as const
const { part, times, rate = '100' } = parseArgs({ options: OPTIONS }).values

/** How often each process is killed, and within which time all apps must answer again. */
const KILLS: readonly { victim: Victim; kills: number; limitMs: number }[] = [
  { victim: 'door', kills: 30, limitMs: 10_000 },
  { victim: 'server', kills: 30, limitMs: 60_000 },
  { victim: 'keeper', kills: 10, limitMs: 10_000 },
]

console.log(`load of the machine: ${loadavg()[0]!.toFixed(1)}`)
if (part === undefined || part === 'load') await proveLoad()
for (const each of KILLS) if (part === undefined || part === each.victim) await proveKills(each)

async function proveLoad(): Promise<void> {
  const ends = Number(times ?? 20)
  const began = performance.now()
  const report = await outlive({ ends, requestsPerSecond: Number(rate), sockets: 50 })
  const { answered, failed, frames, lines, missingLines, ...faults } = report
  const seconds = Math.round((performance.now() - began) / 1000)
  console.log(
    `${ends} ends in ${seconds} s: ${answered} requests answered, ${lines} lines in the logs, ${missingLines} counted as dropped, ${frames} frames`,
  )
  console.log(`faults: ${JSON.stringify({ failed: failed.length, first: failed.slice(0, 20), ...faults })}`)
  if (failed.length > 0 || Object.values(faults).some((count) => count > 0)) process.exitCode = 1
}

async function proveKills({ victim, kills, limitMs }: (typeof KILLS)[number]): Promise<void> {
  const { answersAfterMs, ...counts } = await killAgain(victim, Number(times ?? kills))
  const [median, longest] = [answersAfterMs[answersAfterMs.length >> 1]!, answersAfterMs.at(-1)!]
  console.log(
    `kills of the ${victim}: answers after ${median} ms (median), ${longest} ms (longest), ${JSON.stringify(counts)}`,
  )
  const expected = victim === 'keeper' ? counts.kills * 2 : 0
  const isRight = counts.newInstances === expected && counts.doubled === 0 && counts.orphans === 0
  if (!isRight || longest > limitMs) process.exitCode = 1
}
