import { randomBytes } from 'node:crypto'
import { dirname } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { migrate } from '#lib/db/migrate/migrate.ts'
import { openPostgres } from '#lib/db/postgres.ts'
import { isConsoleStale, runConsoleBuild } from '../../../scripts/console-build.ts'
import { bundledServer } from '../../../scripts/server-bundle.ts'
import { allMigrations } from '../../../src/server/process/schema.ts'
import { stores } from '../stores.ts'
import { makeMigratedArchive } from './migrated-archive.ts'

export type Template = { kind: 'embedded'; archive: string } | { kind: 'postgres'; database: string }

declare module 'vitest' {
  interface ProvidedContext {
    template: Template
    /** Folder of the built entries of threads and child processes. */
    workers: string
  }
}

const onError = (error: unknown) => console.error(error)

/** Migrates once; every test file opens its own copy of the result. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  project.provide('workers', dirname(await bundledServer()))
  // Only journeys in a browser open the console.
  if (stores.chromium && isConsoleStale()) await runConsoleBuild()
  if (stores.postgres) {
    const database = `svc_template_${randomBytes(6).toString('hex')}`
    await makeTemplateDatabase(stores.postgres, database)
    project.provide('template', { kind: 'postgres', database })
    return () => onServer(stores.postgres!, `drop database ${database}`)
  }
  project.provide('template', { kind: 'embedded', archive: await makeMigratedArchive() })
  return undefined
}

async function makeTemplateDatabase(url: string, database: string): Promise<void> {
  await onServer(url, `create database ${database}`)
  await using db = openPostgres({ url: withDatabase(url, database), onError })
  await migrate(db, allMigrations())
}

export async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

export function withDatabase(url: string, database: string): string {
  const changed = new URL(url)
  changed.pathname = `/${database}`
  return changed.href
}
