import { expect, it } from 'vitest'
import { GENERAL_QUESTIONS } from './general-questions.ts'
import { makeNearQuestions } from './near-questions.ts'

const TEXTS = [
  'Every employee has thirty days of leave in a year.',
  'A lost laptop must be reported on the same day.',
  'x',
  '',
]

it('DS-25 questions are made of words that distinguish their own row, in turn from all rows that have several', () => {
  const questions = makeNearQuestions(TEXTS, 40, seeded(3))
  expect(questions.map(({ row }) => row)).toEqual(Array.from({ length: 40 }, (_, i) => i % 2))
  for (const { row, text } of questions) {
    const words = text.split(' ').filter((word) => TEXTS[row]!.toLowerCase().includes(word))
    expect(words.length).toBeGreaterThanOrEqual(3)
    expect(text).not.toBe(TEXTS[row])
  }
  expect(new Set(questions.map(({ text }) => text)).size).toBeGreaterThan(20)
})

it('DS-25 rows without words give no question', () => {
  expect(makeNearQuestions(['', '- - -', 'one'], 10, seeded(1))).toEqual([])
})

it('DS-25 words that all rows have are left out where there are others, and words of other scripts are found', () => {
  const others = ['the report of the year', 'the report of the board']
  const text = 'the report of the year names seven glaciers melting faster around northern fjords than expected'
  for (const question of makeNearQuestions([text, ...others], 60, seeded(5)).filter(({ row }) => row === 0))
    expect(question.text).not.toMatch(/\b(the|of|report|year)\b/)
  expect(makeNearQuestions(['年次有給休暇は三十日です。'], 1, seeded(5))[0]!.text.length).toBeGreaterThan(2)
})

it('DS-25 the general questions differ, and none is longer than people write', () => {
  expect(GENERAL_QUESTIONS).toHaveLength(336)
  expect(new Set(GENERAL_QUESTIONS.map((text) => text.toLowerCase())).size).toBe(336)
  expect(Math.max(...GENERAL_QUESTIONS.map(({ length }) => length))).toBeLessThan(80)
})

function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}
