import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { toYaml } from '#contract/core/yaml.ts'

const VERSIONS = ['1.2', '1.1'] as const

const NASTY = [
  '',
  ' ',
  'yes',
  'No',
  'on',
  'y',
  'NULL',
  '~',
  '_',
  '1',
  '1e3',
  '0x1f',
  '0o17',
  '12:30:00',
  '2026-01-31',
  '.inf',
  '.NaN',
  '<<',
  '=',
  '- a',
  '-',
  '?',
  ':',
  ': ',
  'a: b',
  '# no comment',
  'a #b',
  '&anchor',
  '*alias',
  '!tag',
  '|',
  '>',
  '%YAML 1.2',
  '---',
  '...',
  '@',
  '`',
  '{}',
  '[]',
  '"',
  "'",
  '\\',
  '\u0000',
  '\u0007',
  '\u001b[0m',
  '\t',
  '\r\n',
  'two\nlines\n',
  '\u007f',
  '\u0085',
  '\u009f',
  '\u00a0',
  '\u2028',
  '\u2029',
  '\ufeff',
  '\ufffe',
  '\uffff',
  '😀',
  '__proto__',
  'constructor',
  'k'.repeat(1100),
  `"${'é '.repeat(600)}`,
]

const nasty = fc.constantFrom(...NASTY)
const anyText = fc.oneof(nasty, fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }))
const key = fc.oneof(nasty, fc.string({ unit: 'binary' }))
const value = fc.letrec((tie) => ({
  json: fc.oneof(
    { maxDepth: 5 },
    anyText,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(key, tie('json'), { maxKeys: 4 }),
  ),
})).json

/** Returns the value as JSON carries it: -0 is 0, and prototypes do not count. */
const asJson = (of: unknown): unknown => JSON.parse(JSON.stringify(of))

describe.each(VERSIONS)('read as YAML %s', (version) => {
  it('any JSON value comes back equal', () => {
    fc.assert(
      fc.property(value, (of) => {
        expect(parse(toYaml(of), { version })).toEqual(asJson(of))
      }),
      { numRuns: 500 },
    )
  })

  const named = NASTY.map((text) => [text.slice(0, 20), text] as const)
  it.each(named)('the text %j comes back equal as value, as item and as key', (_, text) => {
    const of = { value: text, items: [text, [text]], [text]: { [text]: text }, maps: [{ [text]: 1, z: 2 }] }
    expect(asJson(parse(toYaml(of), { version }))).toEqual(asJson(of))
  })

  it('half a surrogate pair becomes the replacement character, which every parser reads', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.integer({ min: 0xd7f0, max: 0xe00f }).map((n) => String.fromCharCode(n)) }),
        (text) => {
          expect(parse(toYaml({ text }), { version })).toEqual({ text: text.toWellFormed() })
        },
      ),
    )
  })
})

describe('the one style', () => {
  const cases: [string, unknown, string][] = [
    ['null', null, 'null\n'],
    ['undefined', undefined, 'null\n'],
    ['a number that JSON has not', Number.NaN, 'null\n'],
    ['an infinite number', Number.POSITIVE_INFINITY, 'null\n'],
    ['an integer', 42, '42\n'],
    ['a fraction', 0.25, '0.25\n'],
    ['a small number, with the point that YAML 1.1 asks for', 1e-7, '1.0e-7\n'],
    ['a large number', -1e21, '-1.0e+21\n'],
    ['a number with point and exponent', 1.5e-9, '1.5e-9\n'],
    ['a boolean', false, 'false\n'],
    ['text', 'plain', '"plain"\n'],
    ['text that looks like a boolean', 'yes', '"yes"\n'],
    ['lines', 'a\nb', '"a\\nb"\n'],
    ['a next-line character', 'a\u0085b', '"a\\u0085b"\n'],
    ['a line separator', 'a\u2028b', '"a\\u2028b"\n'],
    ['a byte order mark', '\ufeffa', '"\\ufeffa"\n'],
    ['half a surrogate pair', 'a\ud800b', '"a\ufffdb"\n'],
    ['a time', new Date(0), '"1970-01-01T00:00:00.000Z"\n'],
    ['an empty list', [], '[]\n'],
    ['an empty map', {}, '{}\n'],
    ['plain keys', { a_b: 1, 'c-d': 2 }, 'a_b: 1\nc-d: 2\n'],
    ['keys that need quotes', { yes: 1, '': 2, '1': 3, 'a b': 4 }, '"1": 3\n"yes": 1\n"": 2\n"a b": 4\n'],
    ['a key without a value', { a: undefined, b: null }, 'b: null\n'],
    ['a list', ['a', 1], '- "a"\n- 1\n'],
    ['nested lists', [[1, [2]], []], '- - 1\n  - - 2\n- []\n'],
    ['a list of maps', { items: [{ a: 1, b: 2 }, {}] }, 'items:\n  - a: 1\n    b: 2\n  - {}\n'],
    ['maps in maps', { a: { b: { c: 'd' } } }, 'a:\n  b:\n    c: "d"\n'],
    ['a key longer than YAML allows before a colon', { ['k'.repeat(1001)]: 1 }, `? ${'k'.repeat(1001)}\n: 1\n`],
  ]
  it.each(cases)('%s', (_, of, text) => {
    expect(toYaml(of)).toBe(text)
  })
})
