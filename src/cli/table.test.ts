import { expect, test } from 'vitest'
import { toPairs, toTable } from './table.ts'

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

test('pairs are aligned and have no header', () => {
  expect(
    toPairs([
      ['Role', 'admin'],
      ['API URL', 'http://a'],
    ]),
  ).toEqual(['Role     admin', 'API URL  http://a'])
})

test('CL-03 a table fits the terminal: the widest column gives way, the first never', () => {
  const rows = [
    ['db_a_long_identifier', 'short', 'a description that goes on and on'],
    ['b', 'a name', '日本語日本語日本語日本語'],
  ]
  const lines = toTable(['ID', 'NAME', 'DESCRIPTION'], rows, 44)
  expect(lines).toEqual([
    'ID                    NAME    DESCRIPTION',
    'db_a_long_identifier  short   a description…',
    'b                     a name  日本語日本語…',
  ])
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(44)
})

test('CL-03 where there is no room at all, columns stay readable and lines run over', () => {
  const [, line] = toTable(['ID', 'NAME'], [['db_a_long_identifier', 'a long name']], 10)
  expect(line).toBe('db_a_long_identifier  a long …')
})

test('CL-03 for a program nothing is cut', () => {
  expect(toTable(['A', 'B'], [['x', 'y'.repeat(500)]])[1]).toHaveLength(503)
})
