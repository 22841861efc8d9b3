import { expect, it } from 'vitest'
import type { FileChange } from '#contract/apps/revisions.ts'
import { diffShowsEverything } from './diff-shows-everything.ts'

const HEADER = '--- a/f\n+++ b/f\n'
const file = (change: Partial<FileChange>): FileChange => ({
  path: 'f',
  change: 'modified',
  mode: null,
  patch: null,
  not_shown: null,
  ...change,
})
const ONE_LINE = `${HEADER}@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n`

it.each<[string, Partial<FileChange>, string | undefined, string | undefined, string | undefined]>([
  ['a changed line', { patch: ONE_LINE }, 'a\nb\nc\n', 'a\nx\nc\n', undefined],
  ['a change elsewhere', { patch: ONE_LINE }, 'a\nb\nc\nd\n', 'a\nx\nc\nevil\n', 'its patch leaves something out'],
  ['a line end changed too', { patch: ONE_LINE }, 'a\nb\nc\n', 'a\nx\nc\r\n', 'its patch leaves something out'],
  ['the last line end gone', { patch: ONE_LINE }, 'a\nb\nc\n', 'a\nx\nc', 'its patch leaves something out'],
  [
    'the last line end gone, and shown',
    { patch: `${HEADER}@@ -1,1 +1,1 @@\n-a\n+a\n\\ No newline at end of file\n` },
    'a\n',
    'a',
    undefined,
  ],
  ['a patch of another text', { patch: ONE_LINE }, 'a\nB\nc\n', 'a\nx\nc\n', 'its patch leaves something out'],
  [
    'an added file',
    { change: 'added', patch: '--- /dev/null\n+++ b/f\n@@ -0,0 +1,1 @@\n+a\n' },
    undefined,
    'a\n',
    undefined,
  ],
  ['an added empty file', { change: 'added', patch: '--- /dev/null\n+++ b/f\n' }, undefined, '', undefined],
  [
    'a removed file',
    { change: 'removed', patch: '--- a/f\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a\n' },
    'a\n',
    undefined,
    undefined,
  ],
  [
    'a file that only seems removed',
    { change: 'removed', patch: `${HEADER}@@ -1,1 +0,0 @@\n-a\n` },
    'a\n',
    '',
    'its patch leaves something out',
  ],
  ['a mode alone', { mode: 'executable' }, 'a', 'a', undefined],
  ['a mode that hides content', { mode: 'executable' }, 'a', 'b', 'it has no patch'],
  ['no patch', {}, 'a', 'b', 'it has no patch'],
  ['a binary file', { not_shown: 'binary' }, undefined, undefined, 'the file is binary or not UTF-8'],
  ['a large file', { not_shown: 'too_large' }, 'a', 'b', 'the file is larger than 256 KiB'],
  ['many lines', { not_shown: 'too_different' }, 'a', 'b', 'more than 1,000 lines differ'],
  ['a large diff', { not_shown: 'left_out' }, 'a', 'b', 'the whole diff is too large'],
])('MA-18 a diff shows everything or says what it does not: %s', (_, change, before, after, why) => {
  const sentence = why === undefined ? undefined : `The diff does not show every change of f: ${why}.`
  const diff = { files: [file(change)], truncated: false }
  expect(diffShowsEverything(diff, () => ({ before, after }))).toBe(sentence)
})

it('MA-18 a diff that was cut, or has no file, does not show everything', () => {
  const sides = () => ({ before: 'a\nb\nc\n', after: 'a\nx\nc\n' })
  const files = [file({ patch: ONE_LINE })]
  expect(diffShowsEverything({ files, truncated: true }, sides)).toMatch('too large')
  expect(diffShowsEverything({ files: [], truncated: false }, sides)).toBe('The diff shows no change.')
})
