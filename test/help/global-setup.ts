import { hash, randomBytes } from 'node:crypto'
import { createReadStream, createWriteStream, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { extract, pack } from 'tar-stream'
import type { TestProject } from 'vitest/node'
import { openEmbedded } from '#lib/db/embedded.ts'
import { migrate } from '#lib/db/migrate/migrate.ts'
import { openPostgres } from '#lib/db/postgres.ts'
import { isConsoleStale, runConsoleBuild } from '../../scripts/console-build.ts'
import { allMigrations } from '../../src/server/process/schema.ts'
import { stores } from './stores.ts'

export type Template = { kind: 'embedded'; archive: string } | { kind: 'postgres'; database: string }

declare module 'vitest' {
  interface ProvidedContext {
    template: Template
  }
}

const onError = (error: unknown) => console.error(error)

/** Migrates once; every test file opens its own copy of the result. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  // Only journeys in a browser open the console.
  if (stores.chromium && isConsoleStale()) await runConsoleBuild()
  if (stores.postgres) {
    const database = `svc_template_${randomBytes(6).toString('hex')}`
    await makeTemplateDatabase(stores.postgres, database)
    project.provide('template', { kind: 'postgres', database })
    return () => onServer(stores.postgres!, `drop database ${database}`)
  }
  project.provide('template', { kind: 'embedded', archive: await makeArchive() })
  return undefined
}

/** Kept between runs under the hash of the migrations it holds. */
async function makeArchive(): Promise<string> {
  const folder = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'svc-test')
  mkdirSync(folder, { recursive: true })
  const migrations = allMigrations()
  const archive = join(folder, `migrated-${hash('sha256', JSON.stringify(migrations)).slice(0, 16)}-lean.tar`)
  if (existsSync(archive)) return archive
  const db = await openEmbedded({ onError })
  await migrate(db, migrations)
  await db.dump(`${archive}.whole`)
  await db[Symbol.asyncDispose]()
  await leaveOutTemplates(`${archive}.whole`, `${archive}.part`)
  rmSync(`${archive}.whole`)
  renameSync(`${archive}.part`, archive)
  return archive
}

/** Files of template1 and template0. No test connects to them, and each test file unpacks the archive. */
const TEMPLATE_FILES = /^\/?base\/[14]\/./

async function leaveOutTemplates(from: string, to: string): Promise<void> {
  const source = createReadStream(from).pipe(extract())
  const target = pack()
  const written = pipeline(target, createWriteStream(to))
  for await (const entry of source) {
    if (TEMPLATE_FILES.test(entry.header.name)) entry.resume()
    else await pipeline(entry, target.entry(entry.header))
  }
  target.finalize()
  await written
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
