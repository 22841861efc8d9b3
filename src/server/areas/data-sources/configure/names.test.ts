import { describe, expect, it } from 'vitest'
import { readTableName, splitNames } from '#contract/data-sources/table-name.ts'
import { shown } from './names.ts'

describe('names in a configuration', () => {
  it.each([
    ['articles', { schema: undefined, name: 'articles' }],
    ['Articles', { schema: undefined, name: 'Articles' }],
    ['docs.articles', { schema: 'docs', name: 'articles' }],
    ['"We.ird"."My ""Table"""', { schema: 'We.ird', name: 'My "Table"' }],
    ['docs."a.b"', { schema: 'docs', name: 'a.b' }],
    ['my table', { schema: undefined, name: 'my table' }],
    ['"; drop table x"', { schema: undefined, name: '; drop table x' }],
    ['a.b.c', undefined],
    ['a.', undefined],
    ['', undefined],
    ['  ', undefined],
    ['"a', undefined],
    ['a"b', undefined],
    ['"a"b', undefined],
    ['""', undefined],
  ])('DS-06 the table %j', (text, expected) => {
    expect(readTableName(text)).toEqual(expected)
  })

  it.each([
    ['id', ['id']],
    [' id ,title', ['id', 'title']],
    ['id,,x', ['id', '', 'x']],
    ['"a,b", "c""d" , " e "', ['a,b', 'c"d', ' e ']],
    ['a.b', ['a.b']],
    ['"a', undefined],
    ['a"b', undefined],
  ])('DS-06 the columns %j', (text, expected) => {
    expect(splitNames(text, ',')).toEqual(expected)
  })

  it.each([' '.repeat(200_000), '"'.repeat(200_001), `${' '.repeat(200_000)}"`])('long ones take no time', (text) => {
    const begun = process.cpuUsage().user
    splitNames(text, ',')
    expect(process.cpuUsage().user - begun).toBeLessThan(1_000_000)
  })

  it('show without what would break a line, and never at full length', () => {
    expect(shown('a\n\u{1B}[2Jb')).toBe('a\u{FFFD}\u{FFFD}[2Jb')
    expect(shown('é'.repeat(500))).toHaveLength(80)
  })
})
