import { describe, expect, it } from 'vitest'
import { seeded } from '#test/seeded.ts'
import { createWordModel, makeText } from '#test/sources/word-model.ts'
import { budgetOf } from './budget.ts'
import { growth } from './growth.ts'
import { nextNight } from './night.ts'
import { judgeNorms } from './norms.ts'
import { candidateRecipes, joinTexts } from './recipe.ts'
import { findStrangers } from './strangers.ts'

describe('lengths of vectors', () => {
  it.each([
    ['raw ones among normalised ones', { at_one: 9_900, near_one: 0, off_one: 100 }, { fewer: 'raw', rows: 100 }],
    [
      'normalised ones among raw ones',
      { at_one: 100, near_one: 0, off_one: 9_900 },
      { fewer: 'normalised', rows: 100 },
    ],
    ['all normalised', { at_one: 10_000, near_one: 0, off_one: 0 }, undefined],
    ['raw ones of any length', { at_one: 40, near_one: 360, off_one: 9_000 }, undefined],
    ['raw ones that are all near 1', { at_one: 1_600, near_one: 8_000, off_one: 10 }, undefined],
  ])('DS-26 %s', (_, counts, expected) => {
    expect(judgeNorms(counts)).toEqual(expected)
  })
})

describe('vectors of another model', () => {
  const random = seeded(7)
  const [own, other] = [createWordModel(1, 384), createWordModel(2, 384)]
  const texts = Array.from({ length: 200 }, () => makeText(12, random))

  it.each([100, 10])('DS-26 are found without the model, one row in %i, and no other row', (every) => {
    const isOther = texts.map((_, i) => i % every === 1)
    const { strangers } = findStrangers(texts.map((text, i) => (isOther[i] ? other(text) : own(text))))!
    const found = strangers.flatMap((isStranger, i) => (isStranger ? isOther[i] : []))
    expect(found).not.toContain(false)
    expect(found.length).toBeGreaterThanOrEqual((0.6 * texts.length) / every)
  })

  it('DS-26 are not looked for among subjects that have nothing in common, few rows or few numbers', () => {
    const centres = Array.from({ length: 20 }, (_, i) => createWordModel(10 + i, 384))
    const subjects = texts.map((text, i) => centres[Math.floor(20 * (i / 200) ** 2)]!(text.slice(0, 20)))
    expect(findStrangers(subjects)).toBeUndefined()
    expect(findStrangers(texts.slice(0, 99).map(own))).toBeUndefined()
    expect(findStrangers(texts.map(createWordModel(1, 16)))).toBeUndefined()
  })
})

describe('the growth of a table', () => {
  it.each([
    ['counted whole', { counted: 100, seen: 111, percent: 100, pages: 9 }, { seen: 11, of: 111 }],
    ['by a tenth', { counted: 110, seen: 110, percent: 100, pages: 9 }, { seen: 0, of: 110 }],
    ['rows that are gone again', { counted: 150, seen: 100, percent: 100, pages: 9 }, { seen: 0, of: 100 }],
    ['a count and a sample that agree', { counted: 115, seen: 23, percent: 20, pages: 500 }, { seen: 15, of: 115 }],
    ['an old count and a large sample', { counted: 100, seen: 40, percent: 20, pages: 5_000 }, { seen: 100, of: 200 }],
    ['an old count and a small sample', { counted: 100, seen: 24, percent: 20, pages: 100 }, { seen: 0, of: 120 }],
  ])('DS-26 %s', (_, table, expected) => {
    expect(growth({ measured: 100, ...table })).toEqual(expected)
  })
})

describe('the text of a vector', () => {
  it('DS-26 is tried as each column and as columns that are joined, without empty ones', () => {
    expect(candidateRecipes(['title', 'body']).slice(0, 4)).toEqual([
      { columns: ['title'], separator: ' ' },
      { columns: ['body'], separator: ' ' },
      { columns: ['title', 'body'], separator: ' ' },
      { columns: ['title', 'body'], separator: '\n' },
    ])
    expect(candidateRecipes(['a', 'b', 'c', 'd', 'e', 'f'])).toHaveLength(48)
    const joining = { columns: ['title', 'note', 'body'], separator: ': ' }
    expect(joinTexts(joining, { title: 'Cars', note: '', body: 'Book them.' })).toBe('Cars: Book them.')
  })
})

it('DS-26 a large vector leaves fewer rows, so that a night costs no more', () => {
  expect([384, 1_536, 16_000].map(budgetOf)).toEqual([
    { lookedRows: 10_000, readVectors: 400 },
    { lookedRows: 5_208, readVectors: 260 },
    { lookedRows: 500, readVectors: 25 },
  ])
})

it('DS-26 the next night is between 1 and 5 o’clock UTC, always at the same time for a source', () => {
  const first = nextNight('ds_1', new Date('2026-03-01T12:00:00.000Z'))
  expect(first.toISOString()).toMatch(/^2026-03-02T0[1-4]:/)
  expect(nextNight('ds_1', first).getTime() - first.getTime()).toBe(86_400_000)
  expect(nextNight('ds_1', new Date(first.getTime() - 1))).toEqual(first)
})
