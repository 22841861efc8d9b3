import { expect, it } from 'vitest'
import { findNewHiddenText } from './hidden-text.ts'

it.each([
  ['a changed line without any', 'a\nb\n', 'a\nc\n', undefined],
  ['a line of a person that stays', '❤\ufe0f\nb\n', '❤\ufe0f\nc\n', undefined],
  ['a line of a person that is changed', '❤\ufe0f\n', '❤\ufe0f!\n', '‹U+FE0F›'],
  ['a Windows file', 'a\r\nb\r\n', 'a\r\nc\r\n', undefined],
  ['a carriage return that lost its line feed', '// a\r\nb()\r\n', '// a\rb()\r\n', '‹U+000D›'],
  ['a carriage return that ends the file', 'a\r\n', 'a\r', '‹U+000D›'],
  ['blanks that two edits add up', 'a\n', `a${' '.repeat(80)}b\n`, '‹U+0020×80›'],
])('MA-18 hidden text of a change is found in whole lines: %s', (_, before, after, code) => {
  expect(findNewHiddenText(before, after)).toBe(code)
})
