import { loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { cpuMs, untilIdle } from '../help/processes.ts'
import { engineAlone } from '../start/alone.ts'
import { ask, exampleOf, freshCopy, type Source, start, untilAnswered } from '../start/installation.ts'
import { enginesOf } from '../start/memory.ts'

/**
 * The first answer of an embedded managed database that was stopped because nobody used it, beside its limit and beside
 * the start of PGlite alone. Several callers ask at once, and all of them must be answered. `--rounds N` sets how often.
 */
const tenth = process.argv.includes('--tenth')
const at = process.argv.indexOf('--rounds')
const ROUNDS = at === -1 ? (tenth ? 2 : 20) : Number(process.argv[at + 1])
const LIMIT_MS = 900
const CALLERS = 8
const QUESTION = 'my laptop was stolen, what now?'

type Round = { readonly firstMs: number; readonly lastMs: number; readonly engineMs: number; readonly refused: number }

using copy = freshCopy(join(import.meta.dirname, '../..'))
await using server = await start(copy, { SVC_EMBEDDED_IDLE_SECONDS: '1' })
const source = exampleOf(server, copy)
await untilAnswered(source)
await untilIdle(server.pid, tenth ? 5_000 : 60_000)
const load = loadavg()[0]!
const rounds: Round[] = []
for (let round = 0; round < ROUNDS; round++) rounds.push(await wake(source, server.pid))
await print()

async function wake(asked: Source, pid: number): Promise<Round> {
  while (enginesOf(pid).length > 0) await setTimeout(100)
  const began = performance.now()
  const answers = await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      const response = await ask(asked, QUESTION)
      await response.text()
      return { isAnswer: response.ok, ms: performance.now() - began }
    }),
  )
  const times = answers.filter(({ isAnswer }) => isAnswer).map(({ ms }) => ms)
  const engineMs = Math.max(0, ...enginesOf(pid).map(cpuMs))
  return { firstMs: Math.min(...times), lastMs: Math.max(...times), engineMs, refused: CALLERS - times.length }
}

async function print(): Promise<void> {
  const refused = rounds.reduce((sum, round) => sum + round.refused, 0)
  const first = median(rounds.map(({ firstMs }) => firstMs))
  console.log(`${ROUNDS} rounds of ${CALLERS} callers, medians; load ${load.toFixed(1)}; nothing is random`)
  const verdict = first <= LIMIT_MS ? 'kept' : 'MISSED'
  console.log(`first answer              ${first.toFixed(0)} ms (limit ${LIMIT_MS}: ${verdict})`)
  console.log(`answer to the last caller ${median(rounds.map(({ lastMs }) => lastMs)).toFixed(0)} ms`)
  console.log(`CPU of the engine         ${median(rounds.map(({ engineMs }) => engineMs)).toFixed(0)} ms`)
  console.log(`questions refused         ${refused} of ${ROUNDS * CALLERS}`)
  if (!tenth) {
    const alone = (await engineAlone()).again.seconds * 1000
    console.log(
      `PGlite alone, restart     ${alone.toFixed(0)} ms, so the first answer is ${(first / alone).toFixed(2)} of it`,
    )
  }
  // How long a question waits is a time, and a tenth judges none.
  if (refused > 0 && !tenth) process.exitCode = 1
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
}
