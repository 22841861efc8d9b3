import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe } from 'vitest'
import { openPostgres } from '#lib/db/postgres.ts'
import { prepareAsGuide, urlAs } from '#test/databases/guide-role.ts'
import { type OwnPostgres, startOwnPostgres } from '#test/databases/own-postgres.ts'
import { tableLines } from '#test/rules/schema-lines.ts'
import { needs } from '#test/stores.ts'
import { withDatabase } from '#test/suite/global-setup.ts'
import type { Environment } from '../../src/server/config/reader.ts'
import { EVERYTHING } from './everything.ts'
import { restorePostgres } from './postgres-dump.ts'
import { filesOf, POSTGRES_SECRETS, platformOf, readReleases } from './recorded.ts'
import { testKept, testMaintained, type UpgradedInstallation } from './upgrade-tests.ts'
import { startUpgraded } from './upgraded.ts'

needs('postgres')("OP-06 today's server on the dump", () => {
  const stack = new AsyncDisposableStack()
  let postgres: OwnPostgres
  let login: { username: string; password: string }
  beforeAll(async () => {
    postgres = stack.use(await startOwnPostgres({ fsync: 'off' }))
    login = new URL(await prepareAsGuide(postgres))
    await postgres.psql('drop database svc')
  })
  afterAll(() => stack.disposeAsync())

  describe.each(readReleases())('of $version', (release) => {
    const own = new AsyncDisposableStack()
    let installation: UpgradedInstallation
    beforeAll(async () => {
      const dataDir = mkdtempSync(join(tmpdir(), 'svc-upgrade-'))
      own.defer(() => rmSync(dataDir, { recursive: true }))
      await restorePostgres(postgres, filesOf(release.version).dump)
      const { username, password } = login
      const url = urlAs(postgres, { username, password, database: platformOf(release.version) })
      const settings = { HOST: '127.0.0.1', PORT: '0', SVC_DATA_DIR: dataDir, SVC_DRAIN_SECONDS: '0' }
      const env = { ...settings, ...POSTGRES_SECRETS, DATABASE_URL: url, SVC_MEASURE_INDEXES: 'false' }
      const recordedAt = release.recorded_at
      const server = await startUpgraded(env, recordedAt)
      const readSchema = () => readAsSuperuser(withDatabase(postgres.url, platformOf(release.version)))
      installation = { ...release.postgres, env, recordedAt, server, readSchema }
      own.defer(() => installation.server[Symbol.asyncDispose]())
    })
    afterAll(() => own.disposeAsync())

    testKept(() => installation, {
      everything: {
        ...EVERYTHING,
        tokens: [
          { name: 'nightly report', expires_at: null },
          { name: 'first key', expires_at: null },
        ],
        questions: [{ target: 'db_docs', source: 'api', status: 200 }],
        app: { name: 'Hello', state: 'active', revision: undefined },
      },
      question: { id: 'db_docs', query: 'what if I have the flu?' },
      answer: {
        id: 'sick',
        title: 'Sick days',
        body: 'Stay at home when you are ill and tell your manager in the morning.',
        _target: 'articles',
      },
    })

    testMaintained(() => installation, {
      addKey,
      resealed: [
        'owner passwords of managed databases: 1 moved, 0 already current',
        'reader passwords of managed databases: 1 moved, 0 already current',
        'secrets of notification channels: 1 moved, 0 already current',
        'unsubscribe links: 2 moved, 0 already current',
        'environment variables of apps: 1 moved, 0 already current',
      ],
    })
  })
})

/** Postgres leaves out the schema `svc` for the role of that name, which has it on its search path. */
async function readAsSuperuser(url: string): Promise<string[]> {
  await using db = openPostgres({ url, onError: console.error })
  return await tableLines(db)
}

/** Replaces the data key as operators do: the one in use becomes a former one. */
function addKey(env: Environment): Environment {
  return { ...env, SVC_DATA_KEY: '77'.repeat(32), SVC_DATA_KEYS_FORMER: env.SVC_DATA_KEY }
}
