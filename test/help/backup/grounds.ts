import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Environment } from '../../../src/server/config/reader.ts'
import { prepareAsGuide, urlAs } from '../databases/guide-role.ts'
import { type OwnPostgres, startOwnPostgres } from '../databases/own-postgres.ts'
import { runIn } from '../sources/configured-source.ts'
import { testEnvironment } from '../system.ts'

/** Where the backups of a proof come from and go to. */
export type BackupGround = {
  /** Settings of the installation that is backed up. */
  readonly env: Environment
  /** Settings of the place that it is restored to. */
  readonly restoredEnv: Environment
  readonly verifyEnv: Environment
  emptyTarget(): Promise<void>
  /** Empties the target if a verification uses the same place. */
  emptyTargetIfShared(): Promise<void>
  /** Whether a restore came to its end, after which a second one is refused. */
  isRestored(): Promise<boolean>
  /** Returns what a command left behind outside of the archives. */
  leftovers(after: 'backup' | 'restore' | 'verify'): Promise<string[]>
}

type Options = { readonly folder: string; readonly common: Environment }

export async function embeddedGround({ folder, common }: Options): Promise<BackupGround> {
  const [original, copy] = [join(folder, 'original'), join(folder, 'copy')]
  // Real stores of the tests are not used by the embedded default.
  const { REDIS_URL: _, ...own } = testEnvironment(undefined, original)
  const env = { ...own, ...common }
  return {
    env,
    restoredEnv: { ...env, SVC_DATA_DIR: copy },
    verifyEnv: env,
    emptyTarget: async () => rmSync(copy, { recursive: true, force: true }),
    emptyTargetIfShared: async () => undefined,
    isRestored: async () => existsSync(copy),
    leftovers: async () =>
      [...readdirSync(original), ...readdirSync(folder)].filter((name) => /copies$|\.restoring$/.test(name)),
  }
}

/** Two servers whose platform role is no superuser. */
export async function postgresGround(stack: AsyncDisposableStack, { folder, common }: Options): Promise<BackupGround> {
  const [first, second] = [
    stack.use(await startOwnPostgres({ fsync: 'off' })),
    stack.use(await startOwnPostgres({ fsync: 'off' })),
  ]
  const [url, targetUrl] = [await prepareAsGuide(first), await prepareAsGuide(second)]
  const dataDir = join(folder, 'data')
  mkdirSync(dataDir)
  const env = { ...testEnvironment(url, dataDir), ...common }
  return {
    env,
    restoredEnv: { ...env, DATABASE_URL: targetUrl },
    verifyEnv: { ...env, SVC_BACKUP_VERIFY_URL: targetUrl },
    emptyTarget: () => emptyServer(second),
    emptyTargetIfShared: () => emptyServer(second),
    isRestored: async () => {
      const [row] = await runIn(
        inDatabase(second, 'svc'),
        `select to_regclass('databases.databases') is not null and to_regnamespace('svc_restore') is null as done`,
      )
      return row!.done === true
    },
    leftovers: async (after) => [...(await dumpRoles(first)), ...(after === 'verify' ? await namesOn(second) : [])],
  }
}

/** Returns the roles and databases of tenants. */
async function namesOn(server: OwnPostgres): Promise<string[]> {
  const rows = await runIn(
    server.url,
    `select rolname as name from pg_roles where rolname ~ '^[mor]_'
     union all select datname from pg_database where datname ~ '^d_'`,
  )
  return rows.map(({ name }) => String(name))
}

async function dumpRoles(server: OwnPostgres): Promise<string[]> {
  const rows = await runIn(server.url, `select rolname as name from pg_roles where rolname ~ '^m_'`)
  return rows.map(({ name }) => String(name))
}

const inDatabase = (server: OwnPostgres, database: string) =>
  urlAs(server, { username: 'postgres', password: new URL(server.url).password, database })

async function emptyServer(server: OwnPostgres): Promise<void> {
  await server.psql('drop database svc with (force)')
  const names = await namesOn(server)
  const databases = names.filter((name) => name.startsWith('d_'))
  for (const name of databases) await server.psql(`drop database ${name} with (force)`)
  for (const name of names) if (!databases.includes(name)) await server.psql(`drop role ${name}`)
  await server.psql('create database svc owner svc')
}
