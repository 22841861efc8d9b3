import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { withDatabase } from '../suite/global-setup.ts'
import type { OwnPostgres } from './own-postgres.ts'

const GUIDE = readFileSync(join(import.meta.dirname, '../../../docs/running.md'), 'utf8')
const GUIDE_SQL = /```sql\n(.*?)```/s.exec(GUIDE)![1]!

/** Prepares a server as docs/running.md says, and returns the connection string of the role, which is no superuser. */
export async function prepareAsGuide(server: OwnPostgres): Promise<string> {
  await server.psql(GUIDE_SQL)
  return urlAs(server, { username: 'svc', password: 'change-me', database: 'svc' })
}

type Login = { username: string; password: string; database: string }

export function urlAs({ url }: OwnPostgres, { username, password, database }: Login): string {
  return Object.assign(new URL(withDatabase(url, database)), { username, password }).href
}
