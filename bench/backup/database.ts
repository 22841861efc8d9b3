import { join } from 'node:path'
import { adminCreateOrg, adminCreateToken } from '#contract/auth/auth.ts'
import { createClient } from '#contract/core/client.ts'
import { createDatabase, readConnection } from '#contract/databases.ts'
import { makeSecrets } from '../help/ours.ts'
import { type Server, start } from '../help/processes.ts'
import { query } from '../help/stores.ts'
import { DIMENSIONS } from '../help/vectors.ts'

const MAIN = join(import.meta.dirname, '../../src/server/main.ts')
/** A row of a dump: a vector as text, and a text of a few sentences. */
const ROW_BYTES = 5_000
const BASES = 500
const ROWS_PER_INSERT = 20_000

type Installation = AsyncDisposable & {
  /** Variables of the server, and of the commands of its operator. */
  readonly env: Record<string, string>
  /** Connection string of the managed database. */
  readonly url: string
}

/** Starts an installation with one managed database whose dump has about so many bytes. */
export async function startInstallation(databaseUrl: string, dataDir: string, bytes: number): Promise<Installation> {
  const env = { HOST: '127.0.0.1', PORT: '0', DATABASE_URL: databaseUrl, SVC_DATA_DIR: dataDir, ...makeSecrets() }
  await using stack = new AsyncDisposableStack()
  const server = stack.use(await start(process.execPath, [MAIN], /svc ready at (\S+)/, { env }))
  const url = await makeDatabase(server, env.SVC_OPERATOR_TOKEN)
  await fill(url, Math.ceil(bytes / ROW_BYTES))
  const started = stack.move()
  return { env, url, [Symbol.asyncDispose]: () => started.disposeAsync() }
}

async function makeDatabase({ url }: Server, operatorToken: string): Promise<string> {
  const as = (token: string) =>
    createClient({ baseUrl: url, fetch, headers: () => ({ authorization: `Bearer ${token}` }) })
  const operator = as(operatorToken)
  const { id: org_id } = await operator.call(adminCreateOrg, { name: 'Bench' })
  const owner = { org_id, email: 'owner@example.com', role: 'owner', name: 'bench' } as const
  const { token } = await operator.call(adminCreateToken, owner)
  await as(token).call(createDatabase, { name: 'bench' })
  return (await as(token).call(readConnection, { name: 'bench' })).connection_string
}

/** Each vector is the sum of two of several hundred random ones, because a million random numbers take Postgres long. */
async function fill(url: string, rows: number): Promise<void> {
  await query(url, 'create table articles (id bigint primary key, body text, embedding vector)')
  await query(
    url,
    `select setseed(0.5);
     create table bases as select n as id, (select array_agg((random() - 0.5)::real) from generate_series(1, ${DIMENSIONS}) where n > 0)::vector as v
     from generate_series(1, ${BASES}) n`,
  )
  for (let first = 0; first < rows; first += ROWS_PER_INSERT) {
    await query(
      url,
      `insert into articles
       select n, 'Article ' || n || ': ' || (select string_agg(md5((n * 20 + word)::text), ' ') from generate_series(1, 20) word), a.v + b.v
       from generate_series($1::bigint, $2::bigint) n
       join bases a on a.id = 1 + n % ${BASES} join bases b on b.id = 1 + (n / ${BASES}) % ${BASES}`,
      [first, Math.min(first + ROWS_PER_INSERT, rows) - 1],
    )
  }
  await query(url, 'vacuum analyze articles')
}
