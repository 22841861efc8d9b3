import { expect, test } from 'vitest'
import { printable, toPairs, toTable } from './output.ts'

test('columns are as wide as their widest cell, and no line ends in blanks', () => {
  expect(
    toTable(
      ['ID', 'NAME', 'NOTE'],
      [
        ['db_a', 'A', ''],
        ['b', 'Bee', 'x y'],
      ],
    ),
  ).toEqual(['ID    NAME  NOTE', 'db_a  A', 'b     Bee   x y'])
})

test('wide and combining characters keep the columns aligned', () => {
  expect(
    toTable(
      ['A', 'B'],
      [
        ['日本', 'x'],
        ['e\u0301', 'y'],
      ],
    ),
  ).toEqual(['A     B', '日本  x', 'e\u0301     y'])
})

test('text of others cannot steer the terminal or break a line', () => {
  expect(printable('a\u001b[31mred\nb\tc')).toBe('a [31mred b c')
  expect(printable('abc\u202edcb')).toBe('abcdcb')
})

test('pairs are aligned and have no header', () => {
  expect(
    toPairs([
      ['Role', 'admin'],
      ['API URL', 'http://a'],
    ]),
  ).toEqual(['Role     admin', 'API URL  http://a'])
})
