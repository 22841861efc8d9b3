import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { tableLines } from '#test/rules/schema-lines.ts'
import type { Environment } from '../../src/server/config/reader.ts'
import { unpackDataFolder } from './data-folder.ts'
import { EVERYTHING } from './everything.ts'
import { filesOf, readReleases } from './recorded.ts'
import { testKept, testMaintained, type UpgradedInstallation } from './upgrade-tests.ts'
import { startUpgraded } from './upgraded.ts'

const releases = readReleases()

it('OP-06 the data of former releases is recorded', () => {
  const versions = releases.map(({ version }) => version)
  expect(versions).toEqual(expect.arrayContaining(['0.1.0', '0.2.0', '0.3.0', '0.4.0', '0.7.0']))
})

describe.each(releases)("OP-06 today's server on the data folder of $version", (release) => {
  const stack = new AsyncDisposableStack()
  let installation: UpgradedInstallation
  beforeAll(async () => {
    const place = mkdtempSync(join(tmpdir(), 'svc-upgrade-'))
    stack.defer(() => rmSync(place, { recursive: true, force: true }))
    const folder = join(place, 'data')
    await unpackDataFolder(filesOf(release.version).dataFolder, folder)
    const off = { SVC_ALLOW_PROCESS_DEPLOYS: 'false', SVC_MEASURE_INDEXES: 'false' }
    const env = { HOST: '127.0.0.1', PORT: '0', SVC_DATA_DIR: folder, ...off }
    const recordedAt = release.recorded_at
    const server = await startUpgraded(env, recordedAt)
    installation = { ...release.embedded, env, recordedAt, server, readSchema: () => tableLines(server.db) }
    stack.defer(() => installation.server[Symbol.asyncDispose]())
  })
  afterAll(() => stack.disposeAsync())

  testKept(() => installation, {
    everything: {
      ...EVERYTHING,
      tokens: [
        { name: 'nightly report', expires_at: null },
        { name: 'first run', expires_at: null },
      ],
      questions: [{ target: 'db_handbook', source: 'api', status: 200 }],
      app: { name: 'Hello', state: 'active', revision: 'The example app' },
    },
    question: { id: 'db_handbook', query: 'my laptop was stolen, what now?' },
    answer: {
      id: 'lost-devices',
      title: 'Lost or missing devices',
      body: 'If your laptop or phone was stolen or left behind, on a train for instance, call the security line on extension 112 at once, day or night; do not wait until you are sure. We lock and wipe it remotely within 15 minutes. Then report the theft to the police and send the reference to security@. You will never be blamed for calling early.',
      category: 'security',
      published: true,
      _target: 'articles',
    },
  })

  it('still has the key of the first account in its folder', () => {
    const first = JSON.parse(readFileSync(join(installation.env.SVC_DATA_DIR!, 'first-run.json'), 'utf8')) as object
    const { org_id, owner_token } = installation
    expect(first).toMatchObject({ org_id, api_key: owner_token, owner_email: 'owner@example.com' })
  })

  // Each of these opens the folder once more. Postgres proves them for every release.
  if (release !== releases[0]) return
  testMaintained(() => installation, {
    addKey,
    resealed: [
      'owner passwords of managed databases: 1 moved, 0 already current',
      'reader passwords of managed databases: 1 moved, 0 already current',
      'secrets of notification channels: 1 moved, 0 already current',
      'unsubscribe links: 2 moved, 0 already current',
      'mails of the local mailbox: 1 moved, 0 already current',
      'environment variables of apps: 1 moved, 0 already current',
    ],
  })
})

/** Adds a data key as operators do, in front of the one in use. */
function addKey(env: Environment): Environment {
  const file = join(env.SVC_DATA_DIR!, 'secrets.json')
  const secrets = JSON.parse(readFileSync(file, 'utf8')) as { dataKeys: string[] }
  writeFileSync(file, JSON.stringify({ ...secrets, dataKeys: ['77'.repeat(32), ...secrets.dataKeys] }))
  return env
}
