import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import manifest from '../../../../package.json' with { type: 'json' }
import { CLUSTER_VERSION, EMPTY_CLUSTER, isCluster, makeCluster, readClusterArchive } from './cluster.ts'
import { readTarEntries } from './tar-entries.ts'

const place = mkdtempSync(join(tmpdir(), 'svc-cluster-'))
afterAll(() => rmSync(place, { recursive: true, force: true }))

it('OP-01 the empty cluster that ships was made by the version of the engine that runs it', () => {
  expect(CLUSTER_VERSION).toBe(manifest.dependencies['@electric-sql/pglite'])
  expect(existsSync(EMPTY_CLUSTER)).toBe(true)
})

it('OP-01 a cluster is made for its owner alone, also where a killed process left half of one', async () => {
  const folder = join(place, 'data', 'db')
  mkdirSync(`${folder}.part`, { recursive: true })
  writeFileSync(join(`${folder}.part`, 'PG_VERSION'), 'half')
  expect(isCluster(folder)).toBe(false)
  await makeCluster(folder)
  expect(isCluster(folder)).toBe(true)
  expect(existsSync(`${folder}.part`)).toBe(false)
  expect(readFileSync(join(folder, 'PG_VERSION'), 'utf8')).toBe('18\n')
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(statSync(join(folder, 'postgresql.conf')).mode & 0o777).toBe(0o600)
})

it('OP-01 a damaged archive leaves no cluster behind', async () => {
  const folder = join(place, 'damaged')
  const tar = await readClusterArchive(EMPTY_CLUSTER)
  const cut = join(place, 'cut.tar')
  writeFileSync(cut, tar.subarray(0, tar.length - 20_000_000))
  await expect(makeCluster(folder, cut)).rejects.toThrow('the archive of the empty cluster is damaged at byte')
  expect(isCluster(folder)).toBe(false)
})

it.each([
  ['a link', 156, '2'],
  ['a path that leads outside', 0, '../x'],
  ['a size beyond the end', 124, '77777777777'],
])('an archive with %s is refused', (_what, at, value) => {
  const tar = Buffer.alloc(1024)
  tar.write('PG_VERSION', 0)
  tar.write('00000000003', 124)
  tar.write('0', 156)
  expect(readTarEntries(tar)).toEqual([{ path: 'PG_VERSION', isFolder: false, bytes: Buffer.alloc(3) }])
  tar.write(`${value}\0`.slice(0, at === 156 ? 1 : 12), at)
  expect(() => readTarEntries(tar)).toThrow('damaged at byte 0')
})
