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

it('OP-07 a second server on a data folder needs the same settings of the port of apps', () => {
  const dataDir = newFolder()
  const first = claimSettings(dataDir, SETTINGS)
  const second = claimSettings(dataDir, { ...SETTINGS })
  expect(() => claimSettings(dataDir, { ...SETTINGS, port: 8082 })).toThrow(
    `Another server (process ${process.pid}) uses the data folder ${dataDir} with other settings of the port of apps. ` +
      'Give both the same SVC_APPS_PORT, SVC_APPS_DOMAIN, SVC_TRUSTED_PROXIES and secrets, or this one a data folder of ' +
      'its own (SVC_DATA_DIR).',
  )
  first[Symbol.dispose]()
  expect(() => claimSettings(dataDir, { ...SETTINGS, port: 8082 })).toThrow('Another server')
  second[Symbol.dispose]()
  claimSettings(dataDir, { ...SETTINGS, port: 8082 })[Symbol.dispose]()
  claimSettings(newFolder(), { ...SETTINGS, port: 8083 })[Symbol.dispose]()
})

it('OP-07 a server that was killed is in nobody’s way, and what it left is removed', () => {
  const dataDir = newFolder()
  const left = join(dataDir, 'keeper', 'servers', 'ffffffffffffffff-000000000000')
  lockFolder(left)[Symbol.dispose]()
  const claim = claimSettings(dataDir, SETTINGS)
  expect(readdirSync(join(dataDir, 'keeper', 'servers'))).toHaveLength(1)
  claim[Symbol.dispose]()
  expect(readdirSync(join(dataDir, 'keeper', 'servers'))).toEqual([])
})
