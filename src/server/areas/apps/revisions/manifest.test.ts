import { expect, it } from 'vitest'
import { digestOf, findManifestFaults, sortFiles } from './manifest.ts'

const SHA = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
const file = (path: string, size = 0, executable = false) => ({ path, executable, size, sha256: SHA })
const faultsOf = (files: ReturnType<typeof file>[]) => findManifestFaults(files, (index, key) => `${index} ${key}`)

it('MA-15 the digest depends on paths, modes and contents, and not on the order', () => {
  const digest = (files: ReturnType<typeof file>[]) => digestOf(sortFiles(files)).toString('hex')
  const files = [file('b'), file('a/c'), file('a.txt')]
  expect(digest(files)).toBe(digest(files.toReversed()))
  expect(digest([file('a')])).not.toBe(digest([file('b')]))
  expect(digest([file('a')])).not.toBe(digest([file('a', 0, true)]))
  expect(digest([file('a')])).not.toBe(digest([{ ...file('a'), sha256: SHA.replace('e', 'f') }]))
  // Printed by: printf -- '- %s a\0' e3b0c442…b855 | sha256sum
  expect(digest([file('a')])).toBe('7e9ecb1c16cc9e45078838385faedccda5b4e3d52b2415f65d3302a42f9afe68')
})

it('MA-15 files are sorted by the bytes of their paths', () => {
  const paths = ['é', 'z', 'a/b', 'a.txt', '\u{1f600}', '\uff21'].map((path) => file(path))
  expect(sortFiles(paths).map(({ path }) => path)).toEqual(['a.txt', 'a/b', 'z', 'é', '\uff21', '\u{1f600}'])
})

it('MA-15 a manifest is refused with every fault it has', () => {
  expect(faultsOf([])).toEqual([{ path: 'files', message: 'must have at least one file' }])
  expect(faultsOf([file('a'), file('../b'), file('c', 16 * 1024 * 1024 + 1), file('a')])).toEqual([
    { path: '1 path', message: 'must not contain the segment ..' },
    { path: '2 size', message: 'must have at most 16777216 bytes' },
    { path: '3 path', message: 'is named twice' },
  ])
  expect(faultsOf([file('a'), file('a/b'), file('ab')])).toEqual([
    { path: '0 path', message: 'is also the folder of another file' },
  ])
  const nine = Array.from({ length: 9 }, (_, n) => file(`f${n}`, 16 * 1024 * 1024))
  expect(faultsOf(nine.slice(1))).toEqual([])
  expect(faultsOf(nine)).toEqual([{ path: 'files', message: 'must have at most 134217728 bytes in all' }])
})
