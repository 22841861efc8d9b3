import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { OwnPostgres } from '#test/databases/own-postgres.ts'
import { runIn } from '#test/sources/configured-source.ts'
import { withDatabase } from '#test/suite/global-setup.ts'

const run = promisify(execFile)
const MAX_DUMP_BYTES = 64 * 1024 * 1024

/** Writes a script that makes the platform's database, the managed databases and their roles again. */
export async function dumpPostgres(server: OwnPostgres, platform: string, file: string): Promise<void> {
  const rows = await runIn(server.url, `select datname as name from pg_database where datname ~ '^d_' order by 1`)
  const parts = [await dumpRoles(server)]
  for (const name of [platform, ...rows.map((row) => String(row.name))]) parts.push(await dumpDatabase(server, name))
  const params = { [constants.ZSTD_c_compressionLevel]: 19 }
  writeFileSync(file, zstdCompressSync(parts.join('\n'), { params }))
}

/** Runs the script on a server that was prepared as the guide says. */
export async function restorePostgres(server: OwnPostgres, file: string): Promise<void> {
  await server.psql(zstdDecompressSync(readFileSync(file)).toString('utf8'))
}

/** Returns the statements about roles of managed databases. */
async function dumpRoles(server: OwnPostgres): Promise<string> {
  const args = ['--roles-only', '--no-sync', '--dbname', server.url]
  const { stdout } = await run('pg_dumpall', args, { maxBuffer: MAX_DUMP_BYTES })
  return stdout
    .split('\n')
    .filter((line) => /^[A-Z].*\b[or]_[0-9a-f]{8}/.test(line))
    .join('\n')
}

async function dumpDatabase(server: OwnPostgres, name: string): Promise<string> {
  const args = ['--create', '--no-sync', withDatabase(server.url, name)]
  const { stdout } = await run('pg_dump', args, { maxBuffer: MAX_DUMP_BYTES })
  // Other machines lack the locale of this one, and an older psql does not know the command.
  return stdout.replace(/^(CREATE DATABASE .*LOCALE = )'[^']*'/m, "$1'C'").replace(/^\\(?:un)?restrict .*$/gm, '')
}
