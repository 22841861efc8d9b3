import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { folderSize } from './folder-size.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-size-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('DS-01 the size of a folder is that of its files, and links are not followed', async () => {
  mkdirSync(join(folder, 'base', '5'), { recursive: true })
  writeFileSync(join(folder, 'base', '5', 'one'), Buffer.alloc(1_000))
  writeFileSync(join(folder, 'two'), Buffer.alloc(24))
  const own = await folderSize(folder, 100)
  symlinkSync('/', join(folder, 'link'))
  expect([own, await folderSize(folder, 100)]).toEqual([1_024, 1_025])
})

it('DS-01 a folder with too many files, or none at all, has no known size', async () => {
  expect(await folderSize(folder, 4)).toBeUndefined()
  expect(await folderSize(join(folder, 'missing'), 100)).toBeUndefined()
})
