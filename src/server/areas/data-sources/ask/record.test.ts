import { describe, expect, it } from 'vitest'
import type { Member } from '#edge/route/route.ts'
import type { Querier } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { createRecords, type RecordedQuestion } from './record.ts'

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
  const go = async () => {
    ends.shift()!.resolve([])
    for (let turn = 0; turn < 20; turn++) await Promise.resolve()
  }
  return { batches, ask, go, fail: () => ends.shift()!.reject(new Error('no')) }
}

function toRecord(question: string): RecordedQuestion {
  return { org_id: 'org', target: 'db_a', source: 'api', principal: {} as Member, question, filters: {} }
}

describe('DS-19 the record of a question', () => {
  it('is written at once, and those that come meanwhile are written together', async () => {
    const { batches, ask, go } = recording()
    ask('a')
    expect(batches).toEqual([['a']])
    ask('b')
    ask('c')
    await go()
    expect(batches).toEqual([['a'], ['b', 'c']])
  })

  it('fails alone: the next one is written', async () => {
    const { batches, ask, fail } = recording()
    const { version } = ask('a')
    fail()
    await expect(version).rejects.toThrow('no')
    ask('b')
    expect(batches).toEqual([['a'], ['b']])
  })
})
