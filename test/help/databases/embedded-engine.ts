import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg, { type Client } from 'pg'
import { createSealer } from '#lib/crypto/seal.ts'
import {
  createEmbeddedEngine,
  type EmbeddedOptions,
} from '../../../src/server/areas/databases/engine/embedded/engine.ts'
import { connectionString, type ManagedEngine } from '../../../src/server/areas/databases/engine/engine.ts'
import { newDatabase, openPassword } from '../../../src/server/areas/databases/model/new-database.ts'
import type { DatabaseRow } from '../../../src/server/areas/databases/model/store.ts'
import { connectTo } from './managed-databases.ts'

type As = 'owner' | 'reader'

export type TestEngine = AsyncDisposable & {
  engine: ManagedEngine
  dataDir: string
  errors: unknown[]
  make(name: string): Promise<DatabaseRow>
  folderOf(row: DatabaseRow): string
  /** The engine's process as we started it: bubblewrap, or Node itself. Undefined while none runs. */
  pidOf(row: DatabaseRow): number | undefined
  stringOf(row: DatabaseRow, as?: As): Promise<string>
  connect(row: DatabaseRow, as?: As): Promise<Client & AsyncDisposable>
  /** Connects as the platform's own pools do: inside this process, as the reader. */
  connectOwn(row: DatabaseRow): Promise<Client & AsyncDisposable>
}

const sealer = createSealer(['ab'.repeat(32)])

/** An embedded engine on a data folder of its own; with `on`, a second one on the folder and databases of the first. */
export function openTestEngine(options: Partial<EmbeddedOptions> = {}, on?: TestEngine): TestEngine {
  const dataDir = on?.dataDir ?? mkdtempSync(join(tmpdir(), 'svc-engine-'))
  const rows = rowsOf.get(dataDir) ?? new Map<string, DatabaseRow>()
  rowsOf.set(dataDir, rows)
  const errors: unknown[] = []
  const onError = (error: unknown) => void errors.push(error)
  const find = async (name: string) => rows.get(name)
  const engine = createEmbeddedEngine({ dataDir, limit: 5, find, onError, ...options })
  const folderOf = (row: DatabaseRow) => join(dataDir, 'databases', row.physical_name)
  const stringOf = async (row: DatabaseRow, as: As = 'owner') => {
    const login = { role: row[`${as}_role`], password: openPassword(row, as, sealer), database: row.physical_name }
    return connectionString(await engine.publicAddress(), login)
  }
  return {
    engine,
    dataDir,
    errors,
    folderOf,
    stringOf,
    async make(name) {
      const row = await newDatabase({ org_id: 'org_1', name, created_by: 'usr_1', created_at: new Date() }, sealer)
      await engine.create(row)
      rows.set(row.physical_name, row)
      return row
    },
    pidOf(row) {
      try {
        return Number(readFileSync(`${folderOf(row)}.pid`, 'utf8').split(' ')[0])
      } catch {
        return undefined
      }
    },
    connect: async (row, as) => connectTo(await stringOf(row, as)),
    async connectOwn(row) {
      const client = new pg.Client({
        connectionString: await stringOf(row, 'reader'),
        stream: () => engine.ownConnection!(),
        types: engine.ownTypes!,
      })
      client.on('error', () => {})
      await client.connect()
      return Object.assign(client, { [Symbol.asyncDispose]: async () => client.end().catch(() => undefined) })
    },
    async [Symbol.asyncDispose]() {
      await engine.close()
      if (!on) rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

const rowsOf = new Map<string, Map<string, DatabaseRow>>()

export async function single(client: Client, text: string, values?: unknown[]): Promise<unknown> {
  const { rows } = await client.query<Record<string, unknown>>(text, values)
  return Object.values(rows[0] ?? {})[0]
}
