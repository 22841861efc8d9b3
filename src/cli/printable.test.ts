import { expect, test } from 'vitest'
import { toJson } from './output.ts'
import { printable, printableLines } from './printable.ts'

test('text of others cannot steer the terminal or break a line', () => {
  expect(printable('a\u001b[31mred\nb\tc')).toBe('a [31mred b c')
  expect(printable('abc\u202edcb')).toBe('abcdcb')
})

test('CL-03 lines and tabs stay where there may be several', () => {
  expect(printableLines('a\tb\r\nc\u001b[0m\u0007')).toBe('a\tb\nc [0m ')
})

test('CL-03 JSON says the same value with nothing a terminal obeys', () => {
  const value = { a: '\u009b31m\u007f\u202e\u2028\u001b[2J' }
  const text = toJson(value)
  expect(JSON.parse(text)).toEqual(value)
  expect(text).toBe('{\n  "a": "\\u009b31m\\u007f\\u202e\\u2028\\u001b[2J"\n}')
})
