import { expect, it } from 'vitest'
import { toPatch } from './patch.ts'

it('MA-15 two texts without a common line are given up and not compared for long', () => {
  const lines = (seed: string) => Buffer.from(Array.from({ length: 20_000 }, (_, n) => `${seed}${n * 7}`).join('\n'))
  const before = lines('a')
  const after = lines('b')
  expect(toPatch('a', { before, after })).toBe('too_different')
})

it('MA-15 a thousand changed lines are shown, and one more is given up', () => {
  const lines = (seed: string, changed: number) =>
    Buffer.from(Array.from({ length: 2_000 }, (_, n) => `${n < changed ? seed : ''}${n}`).join('\n'))
  expect(toPatch('a', { before: lines('a', 500), after: lines('b', 500) })).toMatchObject({
    patch: expect.stringContaining('+b499\n'),
  })
  expect(toPatch('a', { before: lines('a', 501), after: lines('b', 501) })).toBe('too_different')
})

it('MA-15 a text with a byte order mark and Windows line ends stays what it is', () => {
  const before = Buffer.from('\ufeffa\r\nb\r\n')
  const after = Buffer.from('\ufeffa\r\nc\r\n')
  expect(toPatch('x', { before, after })).toEqual({
    patch: '--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n \ufeffa\r\n-b\r\n+c\r\n',
  })
})

it.each([
  ['an empty file that was added', undefined, '', '--- /dev/null\n+++ b/x\n'],
  [
    'a file that was added',
    undefined,
    'a\n\nb',
    '--- /dev/null\n+++ b/x\n@@ -0,0 +1,3 @@\n+a\n+\n+b\n\\ No newline at end of file\n',
  ],
  ['a file that was removed', 'a\n', undefined, '--- a/x\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a\n'],
  ['a file that was emptied', 'a\n', '', '--- a/x\n+++ b/x\n@@ -1,1 +0,0 @@\n-a\n'],
])('MA-15 %s has all its lines in the patch', (_, before, after, patch) => {
  const bytes = (text: string | undefined) => (text === undefined ? undefined : Buffer.from(text))
  expect(toPatch('x', { before: bytes(before), after: bytes(after) })).toEqual({ patch })
})
