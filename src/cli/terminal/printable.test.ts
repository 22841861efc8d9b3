import { expect, test } from 'vitest'
import { toJson, toJsonLine } from './output.ts'
import { printable, printableLines, visiblePatch } from './printable.ts'

test('text of others cannot steer the terminal or break a line', () => {
  expect(printable('a\u001b[31mred\nb\tc')).toBe('a [31mred b c')
  expect(printable('abc\u202edcb')).toBe('abcdcb')
})

test('CL-03 lines and tabs stay where there may be several', () => {
  expect(printableLines('a\tb\r\nc\u001b[0m\u0007')).toBe('a\tb\nc [0m ')
})

test('MA-18 a diff is printed with codes for what a reader does not see', () => {
  const patch = '@@ -1 +1 @@\n \tstay()\n \n-// ok\r\n+// ok\revil()\n+\u3164\t(\u202e)  '
  expect(visiblePatch(patch)).toBe(
    '@@ -1 +1 @@\n \tstay()\n \n-// ok‹U+000D›\n+// ok‹U+000D›evil()\n+‹U+3164›\t(‹U+202E›)‹U+0020×2›',
  )
})

test('MA-18 JSON has escapes for what a reader does not see', () => {
  const value = { text: '\u3164\u{e0101}\ufe0f a' }
  expect(toJsonLine(value)).toBe('{"text":"\\u3164\\udb40\\udd01\\ufe0f a"}')
  expect(JSON.parse(toJsonLine(value))).toEqual(value)
})

test('CL-03 JSON says the same value with nothing a terminal obeys', () => {
  const value = { a: '\u009b31m\u007f\u202e\u2028\u001b[2J' }
  const text = toJson(value)
  expect(JSON.parse(text)).toEqual(value)
  expect(text).toBe('{\n  "a": "\\u009b31m\\u007f\\u202e\\u2028\\u001b[2J"\n}')
})
