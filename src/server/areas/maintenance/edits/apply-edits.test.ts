import { describe, expect, it } from 'vitest'
import { applyEdits, type Edit } from './apply-edits.ts'

const FILES = new Map([
  ['a.js', 'one two three two'],
  ['b.js', 'aaa'],
  ['constructor', 'x'],
])
const edit = (path: string, old_text: string, new_text: string): Edit => ({ path, old_text, new_text })

describe('MA-10 edits', () => {
  it('apply in order, each to what the ones before left', () => {
    const edits = [edit('a.js', 'one', 'zero'), edit('a.js', 'zero two', 'four'), edit('b.js', 'aaa', '$& $1 $$')]
    expect(applyEdits(FILES, edits)).toEqual({
      texts: new Map([
        ['a.js', 'four three two'],
        ['b.js', '$& $1 $$'],
      ]),
    })
  })

  it('MA-16 with an empty old text add a file that is not there, which later ones change', () => {
    const edits = [edit('test/c.js', '', 'one\n'), edit('test/c.js', 'one', 'two')]
    expect(applyEdits(FILES, edits)).toEqual({ texts: new Map([['test/c.js', 'two\n']]) })
  })

  it.each([
    ['that add an empty file', [edit('test/c.js', '', '')], 0, 'no_such_file'],
    ['that add a file twice', [edit('test/c.js', '', 'x'), edit('test/c.js', '', 'y')], 1, 'not_found'],
    ['of a file that is not there', [edit('c.js', 'one', 'two')], 0, 'no_such_file'],
    ['of a name that every object has', [edit('toString', 'one', 'two')], 0, 'no_such_file'],
    ['whose old text is not in the file', [edit('a.js', 'One', 'two')], 0, 'not_found'],
    ['whose old text is empty', [edit('a.js', '', 'two')], 0, 'not_found'],
    ['whose old text occurs twice', [edit('a.js', 'two', 'one')], 0, 'ambiguous'],
    ['whose old text overlaps itself', [edit('b.js', 'aa', 'b')], 0, 'ambiguous'],
    ['that replaces a text by itself', [edit('a.js', 'one', 'one')], 0, 'no_change'],
    ['whose old text an earlier one removed', [edit('a.js', 'one', 'x'), edit('a.js', 'one', 'y')], 1, 'not_found'],
    [
      'whose old text an earlier one doubled',
      [edit('a.js', 'one', 'three'), edit('a.js', 'three', 'y')],
      1,
      'ambiguous',
    ],
    ['that together change nothing', [edit('a.js', 'one', 'x'), edit('a.js', 'x', 'one')], 1, 'no_change'],
    ['that are none', [], 0, 'no_change'],
  ] as const)('%s are refused', (_, edits, index, fault) => {
    expect(applyEdits(FILES, edits)).toEqual({ index, fault })
  })
})
