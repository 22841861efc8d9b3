import { describe, expect, it } from 'vitest'
import { parseChange } from './parse.ts'
import { parseText } from './parse-text.ts'

const faultOf = (path: string, text: string): string | undefined => {
  try {
    parseText(path, text)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

describe('MA-10 the parser', () => {
  it.each([
    ['a.js', 'const x = await f()\nexport default <p>{x}</p>'],
    ['a.cjs', 'if (x) return\nmodule.exports = 1'],
    ['a.mjs', "import x from 'x' with { type: 'json' }"],
    ['a.ts', 'enum A { b }\nexport const x = <T,>(y: T) => y satisfies unknown'],
    ['a.tsx', 'export const x = (y: number) => <p>{y}</p>'],
    ['a.json', '{"a": [1, 2]}'],
    ['a.YML', 'a: &a [1]\nb: *a\n---\nc: 2'],
  ])('accepts %s: %s', (path, text) => {
    expect(faultOf(path, text)).toBeUndefined()
  })

  it.each([
    ['a.js', 'f(', 'Unexpected token (1:2)'],
    ['a.ts', 'const x: = 1', 'Unexpected token (1:9)'],
    ['a.js', 'const x = 1; const x = 2', "Identifier 'x' has already been declared. (1:19)"],
    ['a.json', '{"a": 1,}', 'Expected double-quoted property name in JSON at position 8 (line 1 column 9)'],
    ['a.yaml', 'a: [1', expect.stringContaining('Flow sequence')],
  ])('refuses %s: %s', (path, text, message) => {
    expect(faultOf(path, text)).toEqual(message)
  })
})

describe('MA-10 a changed file', () => {
  it.each([
    ['a.ts', 'f()', 'f(', 'a.ts does not parse: Unexpected token (1:2)'],
    ['a.py', 'x = 1', 'x = (', 'a.py was not parsed: svc has no parser for this kind of file.'],
    ['Makefile', 'a:', 'b:', 'Makefile was not parsed: svc has no parser for this kind of file.'],
    ['b.json', '{} // x', '{"a": 1} // x', 'b.json was not parsed: it did not parse before the change either.'],
  ])('%s is judged', async (path, before, after, expected) => {
    const result = await parseChange({ path, before, after })
    expect(result.type === 'parsed' ? '' : result.type === 'fault' ? result.reason : result.note).toBe(expected)
  })

  it('that is too large is not judged', async () => {
    const note = 'a.js was not parsed: it is too large.'
    expect(await parseChange({ path: 'a.js', before: 'f()', after: 'x'.repeat(600_000) })).toEqual({
      type: 'not_parsed',
      note,
    })
  })

  it.each([
    ['of deep arrays', 'deep.js', '['.repeat(250_000)],
    ['of deep sequences', 'deep.yaml', '- '.repeat(250_000)],
  ])('%s ends its thread or is refused, and the process lives on', async (_, path, after) => {
    const result = await parseChange({ path, before: '1', after }, 2_500)
    expect(result).toEqual({ type: 'fault', reason: expect.stringContaining(`${path} does not parse: `) })
  })
})
