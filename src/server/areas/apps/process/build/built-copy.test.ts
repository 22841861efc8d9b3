import { existsSync, mkdirSync, mkdtempSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, it } from 'vitest'
import { restoreBuilt, saveBuilt } from './built-copy.ts'

const root = mkdtempSync(join(tmpdir(), 'svc-built-copy-'))
afterAll(() => rm(root, { recursive: true, force: true }))

let place: string
let copy: string
beforeEach(() => {
  place = mkdtempSync(join(root, 'place-'))
  copy = mkdtempSync(join(root, 'copy-'))
  mkdirSync(join(place, 'source'))
  writeFileSync(join(place, 'source', 'built.js'), 'built')
  symlinkSync('/nowhere', join(place, 'source', 'link'))
})

const fail = (error: unknown) => {
  throw error
}

it('MA-16 a run of tests leaves nothing for the next one, neither in the source nor in the home', async () => {
  expect(await saveBuilt({ place, copy }, 0)).toBeUndefined()
  for (const _ of [1, 2]) {
    writeFileSync(join(place, 'source', 'built.js'), 'changed by a test')
    writeFileSync(join(place, 'source', 'left.txt'), 'left by a test')
    mkdirSync(join(place, 'home'))
    await restoreBuilt({ place, copy }, fail)
    expect(readFileSync(join(place, 'source', 'built.js'), 'utf8')).toBe('built')
    expect(readlinkSync(join(place, 'source', 'link'))).toBe('/nowhere')
    expect([existsSync(join(place, 'source', 'left.txt')), existsSync(join(place, 'home'))]).toEqual([false, false])
  }
})

it('MA-16 a home is given back as the build left it', async () => {
  mkdirSync(join(place, 'home'))
  writeFileSync(join(place, 'home', 'cache'), 'of the build')
  await saveBuilt({ place, copy }, 0)
  writeFileSync(join(place, 'home', 'cache'), 'of a test')
  await restoreBuilt({ place, copy }, fail)
  expect(readFileSync(join(place, 'home', 'cache'), 'utf8')).toBe('of the build')
})

it('MA-16 nothing is copied to a disk that is nearly full', async () => {
  expect(await saveBuilt({ place, copy }, Number.MAX_SAFE_INTEGER)).toBe('the disk of the server is nearly full')
  expect(existsSync(join(copy, 'source'))).toBe(false)
})

it('MA-16 tests are not repeated if the files of the build cannot be copied', async () => {
  const gone = join(place, 'gone')
  expect(await saveBuilt({ place, copy: gone }, 0)).toBe('the files of the build cannot be copied')
})
