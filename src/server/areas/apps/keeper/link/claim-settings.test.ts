import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { lockFolder } from '#lib/files/folder-lock.ts'
import { claimSettings } from './claim-settings.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-claim-test-'))
  folders.push(folder)
  return folder
}

const SETTINGS = {
  host: '127.0.0.1',
  port: 8081,
  domain: 'localhost',
  isSecure: false,
  trustedProxies: [],
  hopSecret: 'ab'.repeat(32),
}

it('OP-07 a second server on a data folder needs the same settings of the port of apps', async () => {
  const dataDir = newFolder()
  const first = await claimSettings(dataDir, SETTINGS)
  const second = await claimSettings(dataDir, { ...SETTINGS })
  await expect(claimSettings(dataDir, { ...SETTINGS, port: 8082 })).rejects.toThrow(
    `Another server (process ${process.pid}) uses the data folder ${dataDir} with other settings of the port of apps. ` +
      'Give both the same SVC_APPS_PORT, SVC_APPS_DOMAIN, SVC_TRUSTED_PROXIES and secrets, or this one a data folder of ' +
      'its own (SVC_DATA_DIR).',
  )
  first[Symbol.dispose]()
  await expect(claimSettings(dataDir, { ...SETTINGS, port: 8082 })).rejects.toThrow('Another server')
  second[Symbol.dispose]()
  for (const folder of [dataDir, newFolder()]) {
    const claim = await claimSettings(folder, { ...SETTINGS, port: 8082 })
    claim[Symbol.dispose]()
  }
})

it('OP-07 a server that was killed is in nobody’s way, and what it left is removed', async () => {
  const dataDir = newFolder()
  const left = join(dataDir, 'keeper', 'servers', 'ffffffffffffffff-000000000000')
  lockFolder(left)[Symbol.dispose]()
  const claim = await claimSettings(dataDir, SETTINGS)
  expect(readdirSync(join(dataDir, 'keeper', 'servers'))).toHaveLength(1)
  claim[Symbol.dispose]()
  expect(readdirSync(join(dataDir, 'keeper', 'servers'))).toEqual([])
})

it('OP-07 a server waits for its turn while another one looks for the claims of others', async () => {
  const dataDir = newFolder()
  // A killed server left it, and two servers that start at once both look at it.
  lockFolder(join(dataDir, 'keeper', 'servers', 'ffffffffffffffff-000000000000'))[Symbol.dispose]()
  const turn = lockFolder(join(dataDir, 'keeper', 'claiming'))
  const claiming = [8081, 8082].map((port) => claimSettings(dataDir, { ...SETTINGS, port }))
  turn[Symbol.dispose]()
  const outcomes = await Promise.allSettled(claiming)
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  for (const outcome of outcomes) if (outcome.status === 'fulfilled') outcome.value[Symbol.dispose]()
})
