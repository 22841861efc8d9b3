import { systemClock } from '#lib/time/clock.ts'
import { createBuiltin } from '../../src/server/areas/ai/builtin/builtin.ts'
import { GENERAL_QUESTIONS } from '../../src/server/areas/data-sources/measure/general-questions.ts'
import { measureScores } from '../../src/server/areas/data-sources/measure/measure-scores.ts'
import type { Calibration } from '../../src/server/areas/data-sources/search/calibration.ts'
import { judge } from '../../src/server/areas/data-sources/search/judge.ts'
import { METRICS } from '../../src/server/areas/data-sources/search/metrics.ts'
import { createEntrySearch } from '../../src/server/areas/data-sources/search/search-entry.ts'
import { bindVector } from '../../src/server/areas/data-sources/search/vector.ts'
import { type Floor, requireFloors } from '../help/floors.ts'
import { startStores, storesMissing } from '../help/stores.ts'
import { embedOnce } from '../recall/embed-once.ts'
import { choosePackages, readPackages } from '../recall/packages.ts'
import { foreignQuestions } from './foreign.ts'
import { hasArticle, readNpmPackages } from './npm.ts'
import { packageQuestions, rewordedQuestion, writtenQuestions } from './packages.ts'
import { type Filled, openTable } from './table.ts'

/**
 * Whether the verdict about a question is right. Each table is measured as the worker does, with the shipped model, and
 * then asked questions that the measurement never saw and that other methods made: some written by hand, some from tags,
 * keywords and other texts about the same thing. A table whose vectors belong to other rows, and one that answers the
 * general questions themselves, cannot tell and must say so. No floor depends on speed.
 *
 * `--tenth` measures the short titles and a table that cannot tell, with fewer questions.
 */
const tenth = process.argv.includes('--tenth')
const here = process.env.SVC_TEST_DATABASE_URL
const PACKAGES = 30_000
const QUESTIONS = tenth ? 60 : 2_000
const GENERAL = tenth ? GENERAL_QUESTIONS.slice(0, 120) : GENERAL_QUESTIONS
const ROWS = tenth ? 120 : Number.POSITIVE_INFINITY
/** The worker stops after 60 s of database time, which a busy machine may need for what takes 5 s elsewhere. */
const BUDGET_MS = 900_000
const searchEntry = createEntrySearch(systemClock)

type Case = {
  readonly name: string
  readonly texts: readonly string[]
  readonly answerable: readonly string[]
  /** So many of the answerable questions, the first ones, were written by hand. */
  readonly written?: number
}

if (tenth && here) await run(here)
else if (tenth || storesMissing()) console.log('bench/relevance/run.ts is left out: it needs Postgres')
else {
  await using stores = await startStores()
  await run(stores.databaseUrl)
}

async function run(url: string): Promise<void> {
  const floors: Floor[] = []
  for (const each of tenth ? [titles()] : [await packages(), titles(), articles()])
    if (each) floors.push(...(await judgeTable(url, each)))
  floors.push(
    // From half the table away: packages with names alike, which are beside each other, are about the same.
    await judgeImpossible(url, 'vectors of other rows', titles().texts, (vectors) => [
      ...vectors.slice(vectors.length / 2),
      ...vectors.slice(0, vectors.length / 2),
    ]),
  )
  if (!tenth)
    floors.push(await judgeImpossible(url, 'a table about everything', [...GENERAL, ...foreignQuestions(500)]))
  requireFloors(floors)
}

async function packages(): Promise<Case | undefined> {
  const all = await readPackages()
  if (!all || all.length < PACKAGES) {
    console.log(`package descriptions are left out: they need ${PACKAGES} packages in the package lists of apt`)
    return undefined
  }
  const chosen = choosePackages(all, PACKAGES)
  return {
    name: 'descriptions',
    texts: chosen.map(({ text }) => text),
    answerable: packageQuestions(chosen, QUESTIONS),
    written: writtenQuestions().length,
  }
}

/** Short titles, and questions from the keywords that their authors chose. */
function titles(): Case {
  const all = readNpmPackages().slice(0, ROWS)
  const asked = all.filter(({ keywords }) => keywords.length >= 3)
  const answerable = asked.map(({ keywords }) => `package for ${keywords.slice(0, 4).join(' ')}`)
  return {
    name: 'short titles',
    texts: all.map(({ description }) => description),
    answerable: answerable.slice(0, QUESTIONS),
  }
}

/** Long articles, and questions from the one-line descriptions of what they are about, in other words. */
function articles(): Case {
  const all = readNpmPackages().filter(hasArticle).slice(0, ROWS)
  const answerable = all.map(
    ({ description }, i) => rewordedQuestion(description, i) ?? `how do I get this: ${description}`,
  )
  return { name: 'long articles', texts: all.map(({ readme }) => readme), answerable: answerable.slice(0, QUESTIONS) }
}

async function judgeTable(url: string, { name, texts, answerable, written = 0 }: Case): Promise<Floor[]> {
  await using filled = await openTable(url, { texts, vectors: await embedOnce(texts) })
  const calibration = await measure(filled, texts.length)
  console.log(`\n${name}: ${texts.length} rows, ${JSON.stringify(calibration)}`)
  const foreign = foreignQuestions(QUESTIONS)
  const [ofAnswerable, ofForeign] = [
    await verdicts(filled, calibration, answerable),
    await verdicts(filled, calibration, foreign),
  ]
  print('answerable', ofAnswerable)
  if (written > 0) print('answerable, written by hand', ofAnswerable.slice(0, written))
  print('foreign', ofForeign)
  const share = (list: readonly string[], ...of: string[]) =>
    list.filter((each) => of.includes(each)).length / list.length
  return [
    { name: `${name}: answerable questions called no`, value: share(ofAnswerable, 'no'), atMost: 0.07 },
    { name: `${name}: foreign questions called no or unsure`, value: share(ofForeign, 'no', 'unsure'), atLeast: 0.9 },
    { name: `${name}: verdicts that are unknown`, value: share([...ofAnswerable, ...ofForeign], 'unknown'), atMost: 0 },
  ]
}

async function judgeImpossible(
  url: string,
  name: string,
  texts: readonly string[],
  change = (vectors: readonly Float32Array[]) => vectors,
): Promise<Floor> {
  await using filled = await openTable(url, { texts, vectors: change(await embedOnce(texts)) })
  const calibration = await measure(filled, texts.length)
  console.log(`\n${name}: ${texts.length} rows, ${JSON.stringify(calibration)}`)
  return { name: `${name}: unknown`, value: calibration.outcome === 'unknown' ? 1 : 0, atLeast: 1 }
}

async function measure({ managed, entry }: Filled, tableRows: number): Promise<Calibration> {
  const started = performance.now()
  await using model = createBuiltin()
  const signal = new AbortController().signal
  const calibration = await measureScores({
    db: managed.reader,
    entry,
    tableRows,
    permit: () => undefined,
    embed: async (texts) => (await model.embed(texts, signal)).vectors,
    foreign: () => embedOnce(GENERAL),
    budgetMs: BUDGET_MS,
  })
  console.log(`measured in ${((performance.now() - started) / 1000).toFixed(1)} s`)
  return calibration
}

async function verdicts(
  { managed, entry }: Filled,
  calibration: Calibration,
  questions: readonly string[],
): Promise<string[]> {
  const found: string[] = []
  for (const vector of await embedOnce(questions)) {
    const query = { entry, filters: [], vector: bindVector(vector, 'vector'), limit: 1 }
    const [nearest] = await searchEntry(managed.reader, query)
    const best = nearest && METRICS[entry.metric].scoreOf(nearest.distance)
    found.push(judge([{ calibration, best }]).answerable)
  }
  return found
}

function print(kind: string, found: readonly string[]): void {
  const shares = ['yes', 'unsure', 'no', 'unknown'].map((verdict) => {
    const share = found.filter((each) => each === verdict).length / found.length
    return `${verdict} ${(100 * share).toFixed(1)} %`
  })
  console.log(`  ${found.length} ${kind} questions: ${shares.join(', ')}`)
}
