import { expect, it } from 'vitest'
import { highlightHunk } from './highlight.ts'
import { pairLines } from './pair-lines.ts'
import { countLines, parsePatch } from './parse-patch.ts'
import { showPieces } from './show-pieces.ts'

const PATCH = `===================================================================
--- server.js
+++ server.js
@@ -7,4 +7,5 @@
 const port = 1
-listen(a)
-close()
+listen(a ?? 0)
 // end
+
\\ No newline at end of file
`

it('CO-03 a unified diff is read with the line numbers of both sides', () => {
  const hunks = parsePatch(PATCH)
  expect(hunks).toEqual([
    {
      head: '@@ -7,4 +7,5 @@',
      lines: [
        { kind: 'same', text: 'const port = 1', before: 7, after: 7 },
        { kind: 'removed', text: 'listen(a)', before: 8, after: null },
        { kind: 'removed', text: 'close()', before: 9, after: null },
        { kind: 'added', text: 'listen(a ?? 0)', before: null, after: 8 },
        { kind: 'same', text: '// end', before: 10, after: 9 },
        { kind: 'added', text: '', before: null, after: 10, isUnended: true },
      ],
    },
  ])
  expect([countLines(hunks, 'added'), countLines(hunks, 'removed')]).toEqual([2, 2])
})

it('CO-03 a removed line stands beside the added one that took its place', () => {
  const pairs = pairLines(parsePatch(PATCH)[0]!.lines)
  expect(pairs.map(({ left, right }) => [left?.text, right?.text])).toEqual([
    ['const port = 1', 'const port = 1'],
    ['listen(a)', 'listen(a ?? 0)'],
    ['close()', undefined],
    ['// end', '// end'],
    [undefined, ''],
  ])
})

it('CO-03 the pieces of a highlighted line give its text back', () => {
  const hunk = parsePatch(PATCH)[0]!
  const pieces = highlightHunk(hunk, 'src/server.js')!
  for (const line of hunk.lines) {
    expect(pieces.get(line)!.map(({ text }) => text)).toEqual(line.text === '' ? [] : expect.any(Array))
    expect(
      pieces
        .get(line)!
        .map(({ text }) => text)
        .join(''),
    ).toBe(line.text)
  }
  expect(pieces.get(hunk.lines[0]!)![0]).toEqual({ type: 'keyword', text: 'const' })
})

it('CO-03 files of an unknown language and hunks with a very long line stay plain', () => {
  const hunk = parsePatch(PATCH)[0]!
  expect(highlightHunk(hunk, 'Makefile')).toBeUndefined()
  const long = parsePatch(`@@ -1 +1 @@\n+${'('.repeat(1_001)}`)[0]!
  expect(highlightHunk(long, 'a.js')).toBeUndefined()
})

it('MA-18 what cannot be seen in a coloured line is shown as a code, and the rest keeps its colours', () => {
  const hunk = parsePatch('@@ -1 +1 @@\n+const \u3164 = 1  \n')[0]!
  const line = hunk.lines[0]!
  const shown = showPieces(line.text, highlightHunk(hunk, 'a.js')!.get(line)!)
  expect(shown.map(({ text, className }) => [text, className])).toEqual([
    ['const', 'token keyword'],
    [' ', undefined],
    ['‹U+3164›', 'invisible'],
    [' ', undefined],
    ['=', 'token operator'],
    [' ', undefined],
    ['1', 'token number'],
    ['‹U+0020×2›', 'invisible'],
  ])
})
