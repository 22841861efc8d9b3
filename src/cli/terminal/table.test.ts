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

test('CL-03 a table fits the terminal: columns that may be cut give way in order, others never', () => {
  const rows = [
    ['db_a_long_identifier', 'short', 'a description that goes on and on'],
    ['b', 'a longer name', '日本語日本語日本語日本語'],
  ]
  const header = ['ID', 'NAME', 'DESCRIPTION']
  const lines = toTable(header, rows, { columns: 51, cut: ['DESCRIPTION', 'NAME'] })
  expect(lines).toEqual([
    'ID                    NAME           DESCRIPTION',
    'db_a_long_identifier  short          a description…',
    'b                     a longer name  日本語日本語…',
  ])
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(51)
  expect(toTable(header, rows, { columns: 40, cut: ['DESCRIPTION', 'NAME'] })[2]).toBe(
    'b                     a longe…  日本語…',
  )
})

test('CL-03 in a block too, a column that may be cut fits its line and an id is whole', () => {
  const row = ['dep_01jd8y0v7wf9hbq7s7x2e3m4n5', 'x'.repeat(100)]
  expect(toTable(['DEPLOY', 'NOTE'], [row], { columns: 32, cut: ['NOTE'] })).toEqual([
    'DEPLOY  dep_01jd8y0v7wf9hbq7s7x2e3m4n5',
    `NOTE    ${'x'.repeat(23)}…`,
  ])
})

test('CL-03 where the columns do not fit, each row becomes a block, and what fits its line is not cut', () => {
  const rows = [
    ['dep_01jd8y0v7wf9hbq7s7x2e3m4n5', 'rev_01jd8y0v7wf9hbq7s7x2e3m4n5', 'x'.repeat(20)],
    ['dep_2', 'rev_2', 'y'],
  ]
  expect(toTable(['DEPLOY', 'REVISION', 'NOTE'], rows, { columns: 70, cut: ['NOTE'] })).toEqual([
    'DEPLOY    dep_01jd8y0v7wf9hbq7s7x2e3m4n5',
    'REVISION  rev_01jd8y0v7wf9hbq7s7x2e3m4n5',
    'NOTE      xxxxxxxxxxxxxxxxxxxx',
    '',
    'DEPLOY    dep_2',
    'REVISION  rev_2',
    'NOTE      y',
  ])
})

test('CL-03 for a program nothing is cut', () => {
  expect(toTable(['A', 'B'], [['x', 'y'.repeat(500)]])[1]).toHaveLength(503)
})
