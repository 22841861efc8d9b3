import { join } from 'node:path'
import { adminCreateToken } from '#contract/auth/auth.ts'
import { createClient } from '#contract/core/client.ts'
import { toCursor } from '#edge/route/paging.ts'
import type { Db } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { lowestIdAt } from '#lib/ids.ts'
import type { LoadTarget } from '../help/load.ts'
import { makeSecrets, oursAsked, startOurs } from '../help/ours.ts'
import type { Server } from '../help/processes.ts'
import { makeSource } from '../help/source.ts'
import { openDatabase } from '../notify/system.ts'
import { fill, type Year } from './fill.ts'

const DAY_MS = 24 * 60 * 60_000
/** Page that is asked for deep in the list, inside the time for which records are kept. */
const DEEP_PAGE_DAYS = 60
export const PAGE_ROWS = 50
const DESTINATION = 'webhook:measured'

type Stores = { databaseUrl: string; redisUrl: string; provider: object; dir: string; questions: number; rows: number }
type Requests = Record<'question' | 'page' | 'deepPage' | 'ledgerPage', LoadTarget>

/** One installation with `organizations` organizations, and the requests of one of them. */
export type Installation = {
  organizations: number
  name: string
  db: Db
  server: Server
  orgId: string
  destination: string
  requests: Requests
}

/** Starts the product on a database of its own and fills it. The measured organization is alike in every installation. */
export async function startInstallation(
  stack: AsyncDisposableStack,
  stores: Stores,
  organizations: number,
  year: Year,
): Promise<Installation> {
  const name = `svc_scale_${organizations}`
  const { db, url } = await openDatabase(stores.databaseUrl, name)
  stack.use(db)
  const secrets = makeSecrets()
  const server = stack.use(await startOurs({ ...stores, databaseUrl: url, dataDir: join(stores.dir, name) }, secrets))
  const source = await makeSource(server.url, secrets.SVC_OPERATOR_TOKEN, url, stores.rows)
  const [row] = await db.query<{ org_id: string }>(sql`select org_id from data_sources.sources`)
  const orgId = row!.org_id
  const operator = createClient({
    baseUrl: server.url,
    fetch,
    headers: () => ({ authorization: `Bearer ${secrets.SVC_OPERATOR_TOKEN}` }),
  })
  const { token } = await operator.call(adminCreateToken, {
    org_id: orgId,
    email: 'owner@example.com',
    role: 'owner',
    name: 'lists',
  })
  await fill(db, { orgId, destination: DESTINATION }, organizations - 1, year)
  const deep = toCursor(lowestIdAt('act', Date.now() - DEEP_PAGE_DAYS * DAY_MS))
  const page = (path: string) => get(server.url, token, path)
  return {
    organizations,
    name,
    db,
    server,
    orgId,
    destination: DESTINATION,
    requests: {
      question: oursAsked(server.url, source, stores.questions, false),
      page: page(`/api/activity?type=data_sources&limit=${PAGE_ROWS}`),
      deepPage: page(`/api/activity?type=data_sources&limit=${PAGE_ROWS}&cursor=${deep}`),
      ledgerPage: page(`/api/notifications/deliveries?limit=${PAGE_ROWS}`),
    },
  }
}

function get(base: string, token: string, path: string): LoadTarget {
  const url = new URL(path, base)
  const head = `GET ${url.pathname}${url.search} HTTP/1.1\r\nhost: ${url.host}\r\nauthorization: Bearer ${token}\r\n\r\n`
  const bytes = Buffer.from(head)
  return { url: url.href, next: () => bytes }
}
