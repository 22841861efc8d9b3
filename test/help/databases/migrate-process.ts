import { readMigrations } from '#lib/db/migrate/file.ts'
import { migrate } from '#lib/db/migrate/migrate.ts'
import { openPostgres } from '#lib/db/postgres.ts'

/** Migrates a database with the files of one folder, in a process of its own that a test can kill. */
const [url, folder] = process.argv.slice(2)
const db = openPostgres({ url: url!, onError: console.error })
const report = (line: string) => console.log(line)
await migrate(db, readMigrations([{ area: 'x', folder: folder! }]), { report, lockTimeoutMs: 300, retryPauseMs: 50 })
await db[Symbol.asyncDispose]()
console.log('done')
