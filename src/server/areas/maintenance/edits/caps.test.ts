import { expect, it } from 'vitest'
import { findCapFault } from './caps.ts'

const edit = (path: string, old_text: string, new_text: string) => ({ path, old_text, new_text })
const lines = (count: number, word = 'x') => Array.from({ length: count }, (_, n) => `${word}${n}`).join('\n')

it.each([
  ['five files', ['a', 'b', 'c', 'd', 'e', 'a'].map((path) => edit(path, 'x', 'y')), undefined],
  ['six files', ['a', 'b', 'c', 'd', 'e', 'f'].map((path) => edit(path, 'x', 'y')), 'A change has at most 5 files.'],
  ['200 lines', [edit('a', lines(100, 'x'), lines(100, 'y'))], undefined],
  [
    '201 lines',
    [edit('a', lines(100, 'x'), lines(101, 'y'))],
    'A change has at most 200 changed lines, and this would be 201.',
  ],
  [
    'one changed line between 300 equal ones',
    [edit('a', `${lines(150)}\nb\n${lines(150)}`, `${lines(150)}\nc\n${lines(150)}`)],
    undefined,
  ],
  ['33 KiB', [edit('a', 'x', 'y'.repeat(33 * 1024))], 'A change has at most 32768 bytes of old and new text.'],
])('MA-10 %s', (_, edits, fault) => {
  expect(findCapFault(edits)).toBe(fault)
})
