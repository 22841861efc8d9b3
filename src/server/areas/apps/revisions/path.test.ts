import { expect, it } from 'vitest'
import { findPathFault } from './path.ts'

it.each([
  'server.js',
  'src/routes/[id].ts',
  '.github/workflows/ci.yml',
  'a/..b/...',
  'täßt/日本語 (1).txt',
  'x'.repeat(255),
  `${'a'.repeat(255)}/${'b'.repeat(255)}`,
  Array.from({ length: 64 }, () => 'a').join('/'),
  '.gitignore',
])('MA-15 accepts the path %s', (path) => {
  expect(findPathFault(path)).toBeUndefined()
})

it.each([
  ['', 'must not be empty'],
  ['/etc/passwd', 'must be relative, not begin with /'],
  ['..', 'must not contain the segment ..'],
  ['a/../../b', 'must not contain the segment ..'],
  ['./a', 'must not contain the segment .'],
  ['a//b', 'must not contain an empty segment (// or a / at the end)'],
  ['a/', 'must not contain an empty segment (// or a / at the end)'],
  ['a\\..\\b', 'must be separated by /, not by \\'],
  ['a\0b', 'must not contain control characters or characters that change the text direction'],
  ['a\nb', 'must not contain control characters or characters that change the text direction'],
  ['a\u202egnp.js', 'must not contain control characters or characters that change the text direction'],
  ['a\ufffdb', 'must be valid UTF-8'],
  ['a\ud800b', 'must be valid UTF-8'],
  ['.git/config', 'must not be in a .git folder; leave it out'],
  ['sub/.GIT', 'must not be in a .git folder; leave it out'],
  ['x'.repeat(256), 'must not contain a name over 255 bytes'],
  [`${'ä'.repeat(120)}/${'b'.repeat(255)}/${'c'.repeat(20)}`, 'must have at most 512 bytes'],
  [Array.from({ length: 65 }, () => 'a').join('/'), 'must have at most 64 folders'],
])('MA-15 refuses the path %j: %s', (path, fault) => {
  expect(findPathFault(path)).toBe(fault)
})
