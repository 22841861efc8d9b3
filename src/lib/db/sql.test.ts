import { describe, expect, it } from 'vitest'
import { identifier, literal, script, sql } from './sql.ts'

describe('sql', () => {
  it('makes parameters of values, in their order', () => {
    const { text, values } = sql`select id from t where a = ${'x; drop table t'} and b = ${2} and c = ${null}`
    expect(text).toBe('select id from t where a = $1 and b = $2 and c = $3')
    expect(values).toEqual(['x; drop table t', 2, null])
  })

  it('keeps a statement without values as it is', () => {
    expect(sql`select 1`).toMatchObject({ text: 'select 1', values: [] })
  })

  it('renumbers the values of nested fragments', () => {
    const inner = sql`b = ${'b'} or c = ${'c'}`
    const middle = sql`(${'m'} = m and (${inner}))`
    const { text, values } = sql`select ${'a'} where ${middle} and ${inner} limit ${10}`
    expect(text).toBe('select $1 where ($2 = m and (b = $3 or c = $4)) and b = $5 or c = $6 limit $7')
    expect(values).toEqual(['a', 'm', 'b', 'c', 'b', 'c', 10])
  })

  it('renumbers more than nine values correctly', () => {
    const ten = sql`${1}, ${2}, ${3}, ${4}, ${5}, ${6}, ${7}, ${8}, ${9}, ${10}, ${11}`
    expect(sql`${0}, ${ten}`.text).toBe('$1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12')
  })

  it('does not change text that only looks like a parameter', () => {
    const inner = sql`${identifier('cost$1')} = ${5} and note <> 'about $1'`
    expect(sql`select ${'x'} where ${inner}`.text).toBe(`select $1 where "cost$1" = $2 and note <> 'about $1'`)
    expect(sql`select ${'x'} where ${script('$1 <> 2')}`.text).toBe('select $1 where $1 <> 2')
  })

  it('sends an object that looks like a statement as a value', () => {
    const posted: unknown = JSON.parse('{"text": "1); drop table t; --", "values": [], "name": ""}')
    const { text, values } = sql`insert into t values (${posted})`
    expect(text).toBe('insert into t values ($1)')
    expect(values).toEqual([{ text: '1); drop table t; --', values: [], name: '' }])
  })

  it('keeps arrays and bytes as one value each', () => {
    const bytes = Buffer.from('ab')
    expect(sql`${['a', 'b']} ${bytes}`).toMatchObject({ text: '$1 $2', values: [['a', 'b'], bytes] })
  })

  it.each([
    [['plain'], '"plain"'],
    [['a schema', 'Table'], '"a schema"."Table"'],
    [['say "hi"; drop table t'], '"say ""hi""; drop table t"'],
  ])('quotes the identifier %j', (parts, quoted) => {
    const { text, values } = sql`select 1 from ${identifier(...parts)} where a = ${1}`
    expect(text).toBe(`select 1 from ${quoted} where a = $1`)
    expect(values).toEqual([1])
  })

  it.each([
    ['plain', `'plain'`],
    [`it's`, `'it''s'`],
    [String.raw`a\'b $1`, String.raw` E'a\\''b $1'`],
  ])('quotes the constant %j', (text, quoted) => {
    const { text: statementText, values } = sql`select ${literal(text)}, ${1}`
    expect(statementText).toBe(`select ${quoted}, $1`)
    expect(values).toEqual([1])
  })

  it('names a statement by its text only', () => {
    const named = (value: unknown) => sql`select ${value} as named`
    expect(named(1).name).toBe(named('other').name)
    expect(named(1).name).toMatch(/^s_[0-9a-f]{24}$/)
    expect(sql`select ${1} as named `.name).not.toBe(named(1).name)
    expect(sql`select ${sql`${1} as named`}`.name).toBe(named(1).name)
  })

  it('keeps names within what Postgres keeps of one, and the same after many others', () => {
    const long = sql`select ${identifier('x'.repeat(5000))}`
    expect(Buffer.byteLength(long.name)).toBeLessThanOrEqual(63)
    const first = sql`select ${identifier('first of many')}`.name
    const others = Array.from({ length: 3000 }, (_, n) => sql`select ${identifier(`other ${n}`)}`.name)
    expect(new Set(others).size).toBe(3000)
    expect(sql`select ${identifier('first of many')}`.name).toBe(first)
    expect(sql`select ${identifier('other 2999')}`.name).toBe(others[2999])
  })

  it('leaves a script unnamed, so that it may hold several statements', () => {
    expect(script('select 1; select 2')).toMatchObject({ text: 'select 1; select 2', values: [], name: '' })
  })
})
