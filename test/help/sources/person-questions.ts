import type { Db } from '#lib/db/db.ts'
import { seeded } from '../seeded.ts'
import { costRatios } from './person-cost.ts'
import { type PersonSource, startPersonSource } from './person-source.ts'
import { ASKERS, type Asker, answerOf, type Doc, makeDocs, makeQuestion, POLICIES } from './person-world.ts'

type Options = { readonly triples: number; readonly rows: number; readonly timed: number; readonly seed: number }

type PersonReport = {
  readonly triples: number
  /** Rows in answers that the policy does not show to the person. */
  foreign: number
  /** Answers with another number of rows than the lesser of the hits asked for and the rows that the person may see. */
  wrongCounts: number
  /** Mean share of the exact answer. */
  recall: number
  /** Claims that were found on a connection after a batch. */
  leftovers: number
  cancels: number
  kills: number
  /** Questions that failed because of one, and were asked again. */
  interrupted: number
  /** Time of a question by person to the same one without. */
  ratios: { readonly all_rows: number; readonly own_rows: number }
}

type Triple = { asker: Asker; vector: Float32Array; limit: number; topic: number | undefined }

const BATCH = 6
const TOLERANCE = 1e-5

/**
 * Asks random questions as random persons under changing policies, several at once on few pooled connections, and
 * cancels and kills their sessions meanwhile. Compares every answer with what the policy shows.
 */
export async function askAsPersons(on: { db: Db; databaseUrl: string }, options: Options): Promise<PersonReport> {
  const { triples, rows, timed, seed } = options
  const random = seeded(seed)
  const docs = makeDocs(rows, seed)
  await using source = await startPersonSource(on, docs)
  const report = { triples, foreign: 0, wrongCounts: 0, recall: 0, leftovers: 0, cancels: 0, kills: 0, interrupted: 0 }
  const perPolicy = Math.ceil(triples / POLICIES.length)
  let recalls = 0
  for (const policy of POLICIES) {
    await source.setPolicy(policy)
    const visibleTo = new Map(ASKERS.map((asker) => [asker, docs.filter((doc) => policy.sees(asker, doc))]))
    for (let asked = 0; asked < perPolicy; asked += BATCH) {
      const batch = Array.from({ length: Math.min(BATCH, perPolicy - asked) }, () => makeTriple(docs, random))
      const faults = interruptSome(source, random, report)
      const answers = await Promise.all(batch.map((triple) => askUntilAnswered(source, triple, report)))
      await faults
      for (const [n, triple] of batch.entries()) recalls += judge(visibleTo, triple, answers[n]!, report)
      report.leftovers += (await source.leftovers()).length
    }
  }
  const ratios = await costRatios(source, docs, timed, random)
  return { ...report, recall: recalls / (perPolicy * POLICIES.length), ratios }
}

function makeTriple(docs: readonly Doc[], random: () => number): Triple {
  const topic = random() < 0.3 ? Math.floor(random() * 10) : undefined
  const asker = ASKERS[Math.floor(random() * ASKERS.length)]!
  return { asker, vector: makeQuestion(docs, random), limit: 1 + Math.floor(random() * 20), topic }
}

async function interruptSome(source: PersonSource, random: () => number, report: PersonCounts): Promise<void> {
  const chance = random()
  if (chance < 0.1 && (await source.interrupt('pg_cancel_backend'))) report.cancels++
  if (chance > 0.9 && (await source.interrupt('pg_terminate_backend'))) report.kills++
}

type PersonCounts = Omit<PersonReport, 'ratios'>
type Found = { readonly id: number; readonly distance: number }

async function askUntilAnswered(source: PersonSource, triple: Triple, report: PersonCounts): Promise<readonly Found[]> {
  const { asker, vector, limit, topic } = triple
  const filters = topic === undefined ? [] : [{ column: 'topic', operator: 'equals', values: [topic] } as const]
  for (let attempt = 1; ; attempt++) {
    try {
      return await source.ask({ vector, limit, filters }, asker)
    } catch (error) {
      if (attempt === 5) throw error
      report.interrupted++
    }
  }
}

/** Returns the share of the exact answer that was found. */
function judge(
  visibleTo: ReadonlyMap<Asker, readonly Doc[]>,
  { asker, vector, limit, topic }: Triple,
  found: readonly Found[],
  report: PersonCounts,
): number {
  const all = visibleTo.get(asker)!
  const visible = topic === undefined ? all : all.filter((doc) => doc.topic === topic)
  report.foreign += found.filter(({ id }) => !visible.some((doc) => doc.id === id)).length
  const expected = answerOf(visible, vector, limit)
  if (found.length !== expected.count) report.wrongCounts++
  if (expected.count === 0) return 1
  return found.filter(({ distance }) => distance <= expected.lastDistance + TOLERANCE).length / expected.count
}
