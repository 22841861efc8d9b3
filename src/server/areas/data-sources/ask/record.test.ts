import { describe, expect, it } from 'vitest'
import type { Member } from '#edge/route/route.ts'
import type { Querier } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { createRecords, type RecordedQuestion, type WrittenRecord } from './record.ts'

const EIGHT = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
const OUTCOME = { status: 200, answer_bytes: 1, counted: true, duration_ms: 1 }

/** Records in a database that answers with `go`. */
function recording() {
  const batches: string[][] = []
  const ends: PromiseWithResolvers<unknown[]>[] = []
  const db: Querier = {
    query: async ({ values }) => {
      batches.push(values[0] as string[])
      ends.push(Promise.withResolvers())
      return (await ends.at(-1)!.promise) as never[]
    },
  }
  const records = createRecords(db, {
    draft: ({ question }) => ({ id: question }),
    insertion: (drafts) => sql`insert into records select unnest(${drafts.map(({ id }) => id)}::text[])`,
    complete: () => {},
  })
  const ask = (question: string) => records.write(toRecord(question), null)
  const settle = async () => {
    for (let turn = 0; turn < 20; turn++) await Promise.resolve()
  }
  const go = () => {
    ends.shift()!.resolve([])
    return settle()
  }
  return { batches, records, ask, go, settle, fail: () => ends.shift()!.reject(new Error('no')) }
}

function toRecord(question: string): RecordedQuestion {
  return { org_id: 'org', target: 'db_a', source: 'api', principal: {} as Member, question, filters: {} }
}

/** Starts eight questions whose records are written and whose searches are under way. */
async function askEight({ ask, go }: ReturnType<typeof recording>): Promise<WrittenRecord[]> {
  const eight = EIGHT.map(ask)
  await go()
  await go()
  await Promise.all(eight.map(({ version }) => version))
  return eight
}

describe('DS-19 the record of a question', () => {
  it('is written at once while few questions are under way', async () => {
    const { batches, ask, settle } = recording()
    ask('a')
    await settle()
    expect(batches).toEqual([['a']])
  })

  it('waits for others under load', async () => {
    const all = recording()
    await askEight(all)
    all.batches.length = 0
    all.ask('i')
    all.ask('j')
    await all.settle()
    expect(all.batches).toEqual([])
    all.ask('k')
    await all.settle()
    expect(all.batches).toEqual([['i', 'j', 'k']])
  })

  it('does not wait once its question has nothing else to wait for', async () => {
    const all = recording()
    const [written] = await askEight(all)
    all.batches.length = 0
    const record = all.ask('i')
    written!.hurry()
    await all.settle()
    expect(all.batches).toEqual([])
    record.hurry()
    await all.settle()
    expect(all.batches).toEqual([['i']])
  })

  it.each(['answered', 'not recorded'])('does not wait for questions that were %s', async (how) => {
    const all = recording()
    if (how === 'answered') for (const { id } of await askEight(all)) all.records.complete(id, OUTCOME)
    else {
      for (const name of EIGHT) {
        const { version } = all.ask(name)
        await all.settle()
        all.fail()
        await expect(version).rejects.toThrow('no')
      }
    }
    all.batches.length = 0
    all.ask('i')
    await all.settle()
    expect(all.batches).toEqual([['i']])
  })
})
