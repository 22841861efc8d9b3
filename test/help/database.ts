import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'
import type { Db } from '#lib/db/db.ts'
import { connectEmbedded, openEmbedded } from '#lib/db/embedded/embedded.ts'
import { openPostgres } from '#lib/db/postgres.ts'
import { PATIENT } from './patience.ts'
import { stores } from './stores.ts'
import { onServer, withDatabase } from './suite/global-setup.ts'
import { takeEngine } from './suite/rewind/rewound-engines.ts'

export type TestDatabase = AsyncDisposable & { db: Db; url: string | undefined }

const onError = (error: unknown) => {
  // Ignored, because the server ends idle connections when a test drops its database.
  if (!(error instanceof Error && 'code' in error && error.code === '57P01')) console.error(error)
}

/** Opens a migrated database for one test file. */
export async function openTestDatabase(options: { statementTimeoutMs?: number } = {}): Promise<TestDatabase> {
  const template = inject('template')
  if (template.kind === 'embedded') {
    const { archive } = template
    const db =
      options.statementTimeoutMs === undefined
        ? connectEmbedded(await takeEngine(archive), { onError, ...PATIENT })
        : await openEmbedded({ archive, onError, ...PATIENT, ...options })
    return { db, url: undefined, [Symbol.asyncDispose]: () => db[Symbol.asyncDispose]() }
  }
  const name = `svc_test_${randomBytes(6).toString('hex')}`
  await onServer(stores.postgres!, `create database ${name} template ${template.database}`)
  const url = withDatabase(stores.postgres!, name)
  const db = openPostgres({ url, onError, ...PATIENT, ...options })
  return {
    db,
    url,
    [Symbol.asyncDispose]: async () => {
      await db[Symbol.asyncDispose]()
      await onServer(stores.postgres!, `drop database ${name} with (force)`)
    },
  }
}
