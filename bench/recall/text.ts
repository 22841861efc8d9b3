import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bindVector } from '../../src/server/areas/data-sources/search/vector.ts'
import type { Floor } from '../help/floors.ts'
import { type Managed, openManaged, type Table } from './database.ts'
import { embedOnce } from './embed-once.ts'
import { choosePackages, type Package, readPackages } from './packages.ts'
import { askQuestions, type Filters, measureEntry, recallOf, resultLine } from './work.ts'

/*
 * Real text: the descriptions of Debian packages, embedded with the shipped model, and questions as people type them.
 * The exact answer is the truth.
 */
const ROWS = 30_000
const EFFORTS = [40, 80, 120, 200, 400, 800]
const BATCH = 500

const TABLE: Table = {
  name: 'packages',
  dimensions: 384,
  content: 'id, name, description',
  filters: { section: 'string', architecture: 'string' },
}
const equals = (column: string, value: string): Filters => [{ column, operator: 'equals', values: [value] }]
const CASES: { name: string; filters: Filters }[] = [
  { name: 'no filter', filters: [] },
  { name: 'architecture = all', filters: equals('architecture', 'all') },
  { name: 'section = libs', filters: equals('section', 'libs') },
  { name: 'section = games', filters: equals('section', 'games') },
]

/** Prints what each effort finds and takes, and what the measured one does. Says so where there are too few texts. */
export async function measureText(url: string): Promise<Floor[]> {
  const packages = await readPackages()
  if (!packages || packages.length < ROWS) {
    const count = packages?.length ?? 'no'
    console.log(`real text is left out: it needs ${ROWS} packages in the package lists of apt, and there are ${count}`)
    return []
  }
  const chosen = choosePackages(packages, ROWS)
  const vectors = await embedOnce(chosen.map(({ text }) => text))
  const texts = (await readFile(join(import.meta.dirname, 'questions.txt'), 'utf8')).trim().split('\n')
  const questions = (await embedOnce(texts)).map((vector) => bindVector(vector, 'vector'))
  await using managed = await openManaged(url)
  await fill(managed, chosen, vectors)
  const { entry, seconds } = await managed.index(TABLE, { method: 'hnsw' })
  console.log(`\n${ROWS} package descriptions x 384, hnsw, built in ${seconds.toFixed(0)} s, ${texts.length} questions`)
  const measured = await measureEntry(managed.reader, entry, ROWS)
  const floors: Floor[] = []
  for (const { name, filters } of CASES) {
    const ask = (as: typeof entry) => askQuestions(managed.reader, as, filters, questions)
    const exact = await ask({ ...entry, index: null })
    console.log(resultLine(`${name}: exact`, exact))
    for (const effort of EFFORTS) {
      const answers = await ask({ ...entry, effort })
      console.log(resultLine(`${name}: ef_search ${effort}`, answers, recallOf(answers, exact)))
    }
    const answers = await ask(measured)
    const recall = recallOf(answers, exact)
    console.log(resultLine(`${name}: measured ${measured.effort ?? 'exact'}`, answers, recall))
    floors.push({ name: `real text, ${name}: recall`, value: recall.mean, atLeast: 0.99 })
  }
  return floors
}

async function fill({ owner }: Managed, packages: readonly Package[], vectors: readonly Float32Array[]): Promise<void> {
  await owner.query(
    'create unlogged table packages (id int, name text, description text, section text, architecture text, embedding vector(384))',
  )
  for (let from = 0; from < packages.length; from += BATCH) {
    const part = packages.slice(from, from + BATCH)
    await owner.query(
      `insert into packages
       select id, name, description, section, architecture, embedding
       from unnest($1::int[], $2::text[], $3::text[], $4::text[], $5::text[], $6::vector[])
            as r (id, name, description, section, architecture, embedding)`,
      [
        part.map((_, i) => from + i),
        part.map(({ name }) => name),
        part.map(({ text }) => text),
        part.map(({ section }) => section),
        part.map(({ architecture }) => architecture),
        part.map((_, i) => `[${vectors[from + i]!.join(',')}]`),
      ],
    )
  }
  await owner.query('vacuum analyze packages')
}
