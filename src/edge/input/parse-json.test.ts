import { describe, expect, it } from 'vitest'
import { parseJson } from './parse-json.ts'

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
const keys = (count: number) => `{${Array.from({ length: count }, (_, n) => `"k${n}":1`).join()}}`

describe('parseJson', () => {
  it.each([
    ['3.8 million levels', nested(3_800_000), 'nested too deeply. At most 100 levels are accepted.'],
    ['levels without an end', '{"a":'.repeat(100_000), 'nested too deeply. At most 100 levels are accepted.'],
    ['too many keys', `{"a":${keys(40_000)}}`, 'too many parts. An object may have at most 20000 keys.'],
    ['too many values', `[${'0,'.repeat(1_000_000)}0]`, 'too many parts. At most 1000000 values are accepted.'],
  ])('OP-10 refuses %s before anything is built', (_, text, detail) => {
    expect(() => parseJson(text)).toThrow(`The body ${detail.startsWith('nested') ? 'is' : 'has'} ${detail}`)
  })

  it.each([
    ['102 levels', nested(102), 'is nested too deeply. At most 100 levels are accepted.'],
    ['a hundred thousand levels', nested(100_000), 'is nested too deeply. At most 100 levels are accepted.'],
    ['102 levels of objects', `${'{"a":'.repeat(102)}1${'}'.repeat(102)}`, 'is nested too deeply.'],
    ['20,001 keys', `{"a":${keys(20_001)}}`, 'has too many parts. An object may have at most 20000 keys.'],
  ])('OP-10 refuses %s in a short text', (_, text, detail) => {
    expect(() => parseJson(text)).toThrow(`The body ${detail}`)
  })

  it.each([
    ['levels after many spaces', ' '.repeat(300_000) + nested(102), 'is nested too deeply'],
    ['levels between spaces', '[        \n'.repeat(102).repeat(400), 'is nested too deeply'],
    ['levels after many texts', `[${'"",'.repeat(100_000)}${nested(101)}]`, 'is nested too deeply'],
    ['keys between spaces', `{${`"a":         1,`.repeat(20_000)}"b":1}`, 'An object may have at most 20000 keys.'],
  ])('OP-10 refuses %s in a long text', (_, text, detail) => {
    expect(() => parseJson(text)).toThrow(detail)
  })

  it.each([
    ['a long text of spaces', `${' '.repeat(300_000)}[${' \n'.repeat(50)}1 ]${' '.repeat(1_000)}`],
    ['101 levels, the outermost included', nested(101)],
    ['marks inside texts', JSON.stringify({ a: '[{"\\'.repeat(1_000), ['[:,'.repeat(50_000)]: 'b\\\\' })],
    ['20,000 keys in each of two objects', `[${keys(20_000)},${keys(20_000)}]`],
    ['a short text', '"a"'],
  ])('accepts %s', (_, text) => {
    expect(JSON.stringify(parseJson(text))).toBe(JSON.stringify(JSON.parse(text)))
  })

  it.each(['', '{', `${' '.repeat(200)}"a`, ']'.repeat(200), `"${'\\'.repeat(301)}"`])(
    'refuses %j as not valid JSON',
    (text) => {
      expect(() => parseJson(text)).toThrow('The body is not valid JSON.')
    },
  )
})
