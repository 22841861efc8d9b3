import type { ResolvedEntry } from '../../src/server/areas/data-sources/search/entry.ts'
import type { Reader } from '../../src/server/areas/data-sources/search/reader.ts'
import type { Floor } from '../help/floors.ts'
import { type Data, QUESTION_KINDS } from './data.ts'
import { askQuestions, type Filters, recallOf, resultLine } from './work.ts'

const FORMER_EFFORT = 200
const equals = (column: string, value: number): Filters => [{ column, operator: 'equals', values: [value] }]
const CASES: { name: string; filters: Filters }[] = [
  { name: 'no filter', filters: [] },
  { name: '50 %', filters: equals('half', 1) },
  { name: '10 %', filters: equals('tenth', 1) },
]

/** Prints what questions of each kind find with the measured setting and with `ef_search` 200, and what both take. */
export async function measureKinds(
  reader: Reader,
  name: string,
  { entry, measured, data }: { entry: ResolvedEntry; measured: ResolvedEntry; data: Data },
): Promise<Floor[]> {
  const floors: Floor[] = []
  for (const kind of QUESTION_KINDS) {
    const questions = data.questions[kind].map(({ vector }) => `[${vector.join(',')}]`)
    for (const { name: filter, filters } of CASES) {
      const ask = (as: ResolvedEntry) => askQuestions(reader, as, filters, questions)
      const exact = await ask({ ...entry, index: null })
      const answers = measured.index === null ? exact : await ask(measured)
      const recall = recallOf(answers, exact)
      console.log(resultLine(`${kind}, ${filter}: measured ${measured.effort ?? 'exact'}`, answers, recall))
      if (entry.index === 'hnsw') {
        const former = await ask({ ...entry, effort: FORMER_EFFORT })
        console.log(resultLine(`${kind}, ${filter}: ef_search ${FORMER_EFFORT}`, former, recallOf(former, exact)))
      }
      floors.push({ name: `${name}, ${kind}, ${filter}: recall`, value: recall.mean, atLeast: 0.99 })
    }
  }
  return floors
}
