import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { findLeftovers } from './leftovers.ts'

it('OP-01 the cluster that a first start is unpacking is no leftover', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-leftovers-'))
  const folders = [
    'db.part',
    'removed-0123456789ab',
    'databases/d_1',
    'databases/d_2.part',
    'trials/removed-ba9876543210',
  ]
  for (const folder of folders) mkdirSync(join(dataDir, folder), { recursive: true })
  expect(findLeftovers(dataDir).map((path) => path.slice(dataDir.length + 1))).toEqual([
    'removed-0123456789ab',
    'databases/d_2.part',
    'trials/removed-ba9876543210',
  ])
  rmSync(dataDir, { recursive: true })
})
