import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { ResolvedEntry } from '../search/entry.ts'
import type { Reader } from '../search/reader.ts'
import { measureScores } from './measure-scores.ts'

const ENTRY: ResolvedEntry = {
  label: 'a',
  model: 'far/model',
  schema: 'public',
  table: 'articles',
  oid: 1,
  vector_column: 'embedding',
  vector_type: 'vector',
  extension_schema: 'public',
  dimensions: 2,
  metric: 'cosine',
  row_security: false,
  content: [
    { name: 'id', type: 'text' },
    { name: 'title', type: 'text' },
  ],
  filters: {},
  index: null,
  version: '0.8.0',
}
const ROWS = Array.from({ length: 60 }, (_, n) => ({ text: `word${n} thing${n} matter${n}`, vector: '[1,0]' }))
const FOREIGN = Array.from({ length: 120 }, () => new Float32Array([0, 1]))

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** A table whose statements take 300 ms each. It is in use from the time `isUsed` says so. */
function slowTable(isUsed: (asked: number) => boolean): Reader {
  let asked = 0
  return {
    reads: (work) =>
      work({
        query: async <Row>({ text }: { text: string }) => {
          vi.advanceTimersByTime(300)
          if (text.includes('pg_locks')) return [{ busy: isUsed(++asked) }] as Row[]
          return (text.includes('pg_catalog.random()') ? ROWS : [{ distance: 1 }]) as Row[]
        },
      }),
  }
}

const measuring = (db: Reader) => {
  const embedded: string[] = []
  const embed = async (texts: readonly string[]) => {
    embedded.push(...texts)
    return texts.map(() => new Float32Array([1, 0]))
  }
  const calibration = measureScores({
    db,
    entry: ENTRY,
    tableRows: ROWS.length,
    permit: () => undefined,
    embed,
    foreign: async () => FOREIGN,
    budgetMs: 1_000_000,
  })
  return { calibration, embedded }
}

it('DS-25 a table that comes into use costs no embedding of its rows, however often it is tried again', async () => {
  const { calibration, embedded } = measuring(slowTable((asked) => asked > 1))
  await expect(calibration).rejects.toMatchObject({ reason: 'busy' })
  expect(embedded).toEqual([])
})

it('DS-25 a table at rest is measured by questions of both kinds', async () => {
  const { calibration, embedded } = measuring(slowTable(() => false))
  expect(await calibration).toMatchObject({ outcome: 'separated', near: 400, foreign: 120 })
  expect(embedded).toHaveLength(400)
})
