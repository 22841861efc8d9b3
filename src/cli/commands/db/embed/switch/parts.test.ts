import { describe, expect, it } from 'vitest'
import { readMark, writeMark } from './column-mark.ts'
import { columnNameFor, indexNameFor } from './column-name.ts'
import { compareAnswers, isWorse } from './compare.ts'
import { neededIndexes } from './indexes.ts'
import { isTooMany } from './missing.ts'
import { planColumn } from './new-column.ts'
import { nextSteps, planLines } from './output.ts'
import type { SwitchPlan } from './plan.ts'

describe('DS-27 the column of a model', () => {
  it('has a name that Postgres does not cut, and that long names do not share', () => {
    expect(columnNameFor('openai/text-embedding-3-small')).toBe('embedding_openai_text_embedding_3_small')
    const long = [`a/${'b'.repeat(80)}1`, `a/${'b'.repeat(80)}2`].map(columnNameFor)
    expect(long.map((name) => name.length)).toEqual([63, 63])
    expect(new Set(long).size).toBe(2)
    expect(Buffer.byteLength(indexNameFor('é'.repeat(40), 'c', 'vector_cosine_ops'))).toBeLessThanOrEqual(63)
  })

  it('is marked in its comment, beside what others wrote there', () => {
    const comment = writeMark('Ours', { model: 'a/b', text: ['title'] })
    expect(comment).toBe('Ours\nsvc vectors: {"model":"a/b","text":["title"]}')
    expect(readMark(comment)).toEqual({ model: 'a/b', text: ['title'] })
    expect(writeMark(comment, { model: 'c/d' })).toBe('Ours\nsvc vectors: {"model":"c/d"}')
    expect([readMark(null), readMark('Ours'), readMark('svc vectors: {')]).toEqual([undefined, undefined, undefined])
  })

  it('is halfvec where vector could not be indexed, and has the kind of index that the old one has', () => {
    const from = { name: 'embedding', type: 'vector', dimensions: 384, comment: null, mark: undefined } as const
    const table = {
      oid: '1',
      schema: 'public',
      name: 't',
      shown: 'public.t',
      quoted: '"public"."t"',
      isPartitioned: false,
      bytes: 0,
      extension: '"public"',
      columnNames: ['embedding'],
    }
    const plan = (dimensions: number) => planColumn(table, [from], from, { name: 'a/b', dimensions }, ['title'])
    expect([plan(2000).type, plan(2001).type]).toEqual(['vector', 'halfvec'])
    const index = { oid: '2', name: 'i', method: 'hnsw', operator_schema: 'public', options: ['m=8'], building: false }
    const found = [
      { ...index, operator_class: 'vector_ip_ops', valid: true },
      { ...index, operator_class: 'vector_l2_ops', valid: false },
    ]
    expect(neededIndexes(found, plan(3072))).toEqual([
      { method: 'hnsw', operator_class: 'halfvec_ip_ops', operator_schema: 'public', options: ['m=8'] },
    ])
  })

  it('may lack 1 % of the rows that questions find', () => {
    const cases = [0, 1, 2].map((missing) => isTooMany({ rows: 100, missing }))
    expect(cases).toEqual([false, false, true])
    expect(isTooMany({ rows: 0, missing: 0 })).toBe(false)
  })
})

describe('DS-27 the comparison', () => {
  const asked = (...found: string[][]) => found.map((ids, n) => ({ question: `q${n}`, expect: ['x'], found: ids }))

  it('says of each question whether its expected id is found, lost, moved or at the same place', () => {
    const before = asked(['x'], ['a'], ['a', 'x'], ['x'], ['a'])
    const after = asked(['a'], ['x'], ['x', 'a'], ['x'], ['b'])
    const { outcomes, hit_rate, results } = compareAnswers(before, after)
    expect(results.map(({ outcome }) => outcome)).toEqual(['lost', 'found', 'moved', 'same', 'same'])
    expect(outcomes).toEqual({ found: 1, lost: 1, moved: 1, same: 2 })
    expect(hit_rate).toEqual({
      at_1: { before: 2, after: 3 },
      at_3: { before: 3, after: 3 },
      at_10: { before: 3, after: 3 },
    })
  })

  it('is worse if fewer expected ids are among ten hits', () => {
    expect(isWorse(compareAnswers(asked(['x']), asked(['a', 'x'])))).toBe(false)
    expect(isWorse(compareAnswers(asked(['x']), asked(['a'])))).toBe(true)
  })
})

describe('DS-27 what the switch prints', () => {
  it('names columns as they are called, and sends nothing of a name to the terminal but its letters', () => {
    const from = { name: 'a\u001b[2Jb', type: 'vector', dimensions: 3, comment: null, mark: undefined } as const
    const table = { shown: 'public.t', bytes: 0 } as SwitchPlan['table']
    const to = { name: '-new', type: 'vector', dimensions: 3, text: ['title'], existing: undefined } as const
    const model = { name: 'a/new', dimensions: 3 }
    const plan = { source_id: 'db_docs', exposed: true, table, from, fromModel: 'a/old', to, model }
    const typed = { command: 'svc db embed docs', table: 't', text: '"x,y"' }
    const lines = [...planLines(plan, 1), ...nextSteps(plan, typed)]
    expect(lines.join('')).not.toMatch(/\p{Cc}/u)
    expect(lines[2]).toBe(
      `Fill new rows from now on with: svc db embed docs --table t --text '"x,y"' --column=-new --model a/new`,
    )
  })
})
