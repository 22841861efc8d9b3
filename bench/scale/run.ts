import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { script } from '#lib/db/sql.ts'
import { type Floor, requireFloors } from '../help/floors.ts'
import { askInTurn } from '../help/load.ts'
import { makeQuestions, startEmbedder } from '../help/questions.ts'
import { startStores, storesMissing } from '../help/stores.ts'
import { SEED } from '../help/vectors.ts'
import { addReady, type Cost, claim, createMeter, type Meter, recordsEnded } from './cost.ts'
import { type Installation, PAGE_ROWS, startInstallation } from './installation.ts'

/**
 * Measures what a question, a claim of deliveries and a page of a list cost in installations with few and with many
 * organizations, each with a year of Activity. The measured organization is alike in all of them. Rounds alternate, so
 * that a busy machine slows all of them; the ratios are what counts.
 */
const tenth = process.argv.includes('--tenth')
const SIZES = tenth ? [1, 1_000] : [1, 1_000, 10_000]
const YEAR = { recordsPerDay: 100, deliveriesPerDay: 20, dayStep: tenth ? 10 : 1 }
const ROUNDS = tenth ? 3 : 5
const OPERATIONS = tenth ? 100 : 500
const CLAIMS = tenth ? 20 : 100
const ROWS = 1_000
const MAX_RATIO = 1.5

const REQUESTS = ['question', 'page', 'deepPage', 'ledgerPage'] as const
type Measured = (typeof REQUESTS)[number] | 'claim'
const TITLES: Record<Measured, string> = {
  question: 'a question',
  page: 'the first page of Activity',
  deepPage: 'a page of Activity 60 days back',
  ledgerPage: 'the first page of deliveries',
  claim: 'a claim of 4 deliveries, with their end',
}

/** Rows of large tables that each reads to show them. */
const ROWS_READ: Record<Measured, number> = {
  question: 0,
  page: PAGE_ROWS + 1,
  deepPage: PAGE_ROWS + 1,
  ledgerPage: PAGE_ROWS + 1,
  claim: 0,
}

const missing = storesMissing()
if (missing) {
  console.log(`left out: ${missing}`)
  process.exit(tenth ? 0 : 1)
}
const dir = mkdtempSync(join(tmpdir(), 'svc-scale-run-'))
const stack = new AsyncDisposableStack()
stack.defer(() => rmSync(dir, { recursive: true, force: true }))
try {
  const stores = stack.use(
    await startStores({
      shared_preload_libraries: 'pg_stat_statements',
      autovacuum: 'off',
    }),
  )
  const questions = makeQuestions()
  const { provider } = stack.use(await startEmbedder(questions))
  const meter = stack.use(await createMeter(stores.databaseUrl, stores.postmaster))
  const installations: Installation[] = []
  for (const size of SIZES) {
    const given = { ...stores, provider, dir, questions: questions.length, rows: ROWS }
    installations.push(await startInstallation(stack, given, size, YEAR))
  }
  console.log(
    `${SIZES.join(', ')} organizations with a year of Activity (the measured one with ${YEAR.recordsPerDay} records a day, ` +
      `the others with one${YEAR.dayStep > 1 ? `, on every ${YEAR.dayStep}th day` : ''}); ${ROUNDS} rounds, medians (of pages the lowest); seed ${SEED}; load ${loadavg()[0]!.toFixed(1)}`,
  )
  const costs = await measureAll(meter, installations)
  requireFloors(print(costs))
} finally {
  await stack.disposeAsync()
}

/** Claims come last and with the servers stopped, because their workers would claim too. */
async function measureAll(meter: Meter, installations: readonly Installation[]): Promise<Map<Measured, Cost[][]>> {
  const costs = new Map<Measured, Cost[][]>()
  const note = (what: Measured, place: number, round: number, cost: Cost) => {
    const all = costs.get(what) ?? installations.map(() => [])
    if (round >= 0) all[place]!.push(cost)
    costs.set(what, all)
  }
  for (let round = -1; round < ROUNDS; round++) {
    for (const what of REQUESTS) {
      for (const [place, { name, server, requests }] of installations.entries()) {
        const work = async () => {
          const began = Date.now()
          const took = await askInTurn(requests[what], OPERATIONS)
          await recordsEnded(installations[place]!, began)
          return took
        }
        note(what, place, round, await meter.measure(name, [server.pid], work))
      }
    }
  }
  for (const { server } of installations) await server[Symbol.asyncDispose]()
  for (let round = -1; round < ROUNDS; round++) {
    for (const [place, installation] of installations.entries()) {
      await addReady(installation, CLAIMS, round)
      await installation.db.query(script(`vacuum notifications.destinations, notifications.notifications`))
      const cost = await meter.measure(installation.name, [process.pid], () => claim(installation, CLAIMS))
      note('claim', place, round, cost)
    }
  }
  return costs
}

type Medians = Omit<Cost, 'statements'>

/** Prints the costs, and returns the ratio of each to the installation with one organization. */
function print(costs: ReadonlyMap<Measured, readonly Cost[][]>): Floor[] {
  return [...costs].flatMap(([what, bySize]) => {
    console.log(`\n${TITLES[what]}`)
    const medians: Medians[] = bySize.map((rounds) => ({
      // Loops of the product only ever add pages, so the lowest round is the operation's own.
      buffers: Math.min(...rounds.map((one) => one.buffers)),
      cpuMs: median(rounds.map((one) => one.cpuMs)),
      ms: median(rounds.map((one) => one.ms)),
    }))
    for (const [place, cost] of medians.entries()) {
      console.log(
        `${String(SIZES[place]).padStart(6)} organizations  ${cost.buffers.toFixed(1).padStart(7)} pages  ` +
          `${cost.cpuMs.toFixed(3).padStart(7)} ms CPU  ${cost.ms.toFixed(2).padStart(6)} ms`,
      )
    }
    if (process.argv.includes('--statements')) printStatements(bySize)
    return medians.slice(1).flatMap((cost, i) => floorsOf(what, SIZES[i + 1]!, cost, medians[0]!))
  })
}

/** Prints the pages of each statement at each size, to find the one that grows. */
function printStatements(bySize: readonly Cost[][]): void {
  const last = bySize.map((rounds) => rounds.at(-1)!.statements)
  for (const text of new Set(last.flat().map((one) => one.text))) {
    const pages = last.map(
      (all) =>
        all
          .find((one) => one.text === text)
          ?.buffers.toFixed(1)
          .padStart(8) ?? '        ',
    )
    console.log(`${pages.join('')}  ${text.replace(/\s+/g, ' ').slice(0, 140)}`)
  }
}

/**
 * The rows of an organization that is alone lie side by side. Among many organizations each row that is read may be on a
 * page of its own, so that many pages are added to those at 1. CPU time, which a page in memory hardly changes, must be
 * flat as it is. It is judged in a full run only, because CI's machine is busy with other work.
 */
function floorsOf(what: Measured, size: number, cost: Medians, first: Medians): Floor[] {
  const pages = first.buffers + ROWS_READ[what]
  const name = `${TITLES[what]} at ${size}`
  const buffers = { name: `${name}, pages to those at 1`, value: cost.buffers / pages, atMost: MAX_RATIO }
  const cpu = { name: `${name}, CPU to that at 1`, value: cost.cpuMs / first.cpuMs, atMost: MAX_RATIO }
  return tenth ? [buffers] : [buffers, cpu]
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
}
