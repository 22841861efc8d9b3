import type { Db } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { testClock } from '#lib/time/clock.ts'
import { checkAll } from '../../../src/server/areas/data-sources/configure/check.ts'
import { addGrants, readerRole } from '../../../src/server/areas/data-sources/configure/grants.ts'
import { withoutMeasuring } from '../../../src/server/areas/data-sources/search/choice.ts'
import { createSourceSearch, type SourceQuery } from '../../../src/server/areas/data-sources/search/search-source.ts'
import { startTestArea } from '../databases/databases-area.ts'
import { connectTo } from '../databases/managed-databases.ts'
import { untilDone } from '../until.ts'
import { ASKERS, type Asker, DIMENSIONS, type Doc, POLICIES } from './person-world.ts'

const SETTINGS = { 'app.email': 'email', 'app.user_id': 'user_id', 'app.role': 'role' } as const
const DATABASE = { id: 'ds_1', org_id: 'org_1', database_name: 'persons' }

type Question = { readonly vector: Float32Array; readonly limit: number; readonly filters: SourceQuery['filters'] }

export type PersonSource = Awaited<ReturnType<typeof startPersonSource>>

/** A source on Postgres whose rows are told apart by person, and the same rows in a table without policies. */
export async function startPersonSource(on: { db: Db; databaseUrl: string }, docs: readonly Doc[]) {
  const area = startTestArea(on.db, on.databaseUrl)
  const row = await area.make(DATABASE.database_name)
  const ownerUrl = area.ownerUrl(row)
  await fill(ownerUrl, docs)
  const [owner, reader] = [await area.open('persons', 'owner'), await area.open('persons', 'reader')]
  const configure = async (table: string, person_settings?: typeof SETTINGS) => {
    const entry = {
      label: table,
      table,
      columns: ['embedding'],
      model: 'test',
      dimensions: DIMENSIONS,
      distance_metric: 'cosine',
      content_columns: 'id, owner, topic',
    }
    const models = { findModel: () => ({ dimensions: DIMENSIONS }), modelNames: () => [] }
    const personValues = async () => valuesOf(ASKERS[0]!)
    const filter_schema = { topic: 'number', owner: 'string' }
    const readerName = await readerRole(reader)
    const deps = { owner, reader: readerName, personValues, ...models }
    const { entries } = await checkAll(deps, { entries: [entry], filter_schema, person_settings, relevance: {} })
    await addGrants(owner, readerName, entries)
    return entries
  }
  const entries = { byPerson: await configure('docs', SETTINGS), plain: await configure('plain') }
  const clock = testClock()
  const vectors: Float32Array[] = []
  const embed = Object.assign(async (_: string, [text]: readonly string[]) => [vectors[Number(text)]!], {
    here: () => undefined,
  })
  const openReader = async () => reader
  const search = createSourceSearch({ clock, embed, openReader, findMeasured: withoutMeasuring })
  const run = async (kind: keyof typeof entries, { vector, ...question }: Question, asker?: Asker) => {
    const number = vectors.push(vector) - 1
    const person = asker && valuesOf(asker)
    const context = { signal: new AbortController().signal }
    const query = { source: DATABASE, entries: entries[kind], query: String(number), person, context, ...question }
    const { rows } = await search.run(query)
    return rows.map(({ row: { c0, distance } }) => ({ id: Number(c0), distance }))
  }
  return {
    ask: (question: Question, asker: Asker) => run('byPerson', question, asker),
    askPlain: (question: Question) => run('plain', question),
    /** Puts the policy in place of the one before. The decisions of the minute before are forgotten. */
    setPolicy: async (policy: { readonly sql: string }) => {
      await using client = await connectTo(ownerUrl)
      await client.query(`${DROP_POLICIES}; ${policy.sql}`)
      clock.advance(61_000)
    },
    /** Interrupts a session of the role of questions, a busy one if there is any. Returns whether there was one. */
    interrupt: async (by: 'pg_cancel_backend' | 'pg_terminate_backend') => {
      const call = by === 'pg_cancel_backend' ? sql`pg_cancel_backend(pid)` : sql`pg_terminate_backend(pid)`
      const found = await on.db.query(sql`
        select ${call} from (select pid from pg_stat_activity where usename = ${row.reader_role}
                             order by state = 'active' desc, random() limit 1) s`)
      return found.length === 1
    },
    /** Returns the claims that are left on the connections of questions. */
    leftovers: async () => {
      const look = sql`
        select current_setting('app.email', true) as email, current_setting('app.user_id', true) as user_id,
               current_setting('app.role', true) as role, pg_sleep(0.002)::text as slept`
      const session = sql`select pg_catalog.set_config('work_mem', '8MB', false)`
      // A session that was interrupted may end only now.
      const one = () =>
        untilDone(() => reader.reads((read) => read.query<Record<string, string | null>>(look), session))
      const found = (await Promise.all([one(), one(), one()])).flat()
      return found.flatMap((claims) => Object.values(claims)).filter((claim) => claim !== null && claim !== '')
    },
    [Symbol.asyncDispose]: () => area[Symbol.asyncDispose](),
  }
}

const DROP_POLICIES = ['own', 'team', 'roles', 'every', 'even', 'subject']
  .map((name) => `drop policy if exists ${name} on public.docs`)
  .join(';')

function valuesOf(asker: Asker): Record<string, string> {
  return Object.fromEntries(Object.entries(SETTINGS).map(([name, claim]) => [name, asker[claim]]))
}

async function fill(ownerUrl: string, docs: readonly Doc[]): Promise<void> {
  await using client = await connectTo(ownerUrl)
  await client.query(`
    create table public.docs (id int, owner text, team int, topic int, embedding vector(${DIMENSIONS}));
    create table public.members (user_id text, team int);
    create function public.teams_of(text) returns int[] language sql stable security definer set search_path = pg_catalog as
      'select array(select m.team from public.members m where m.user_id = $1)'`)
  for (const { user_id, teams } of ASKERS) {
    await client.query('insert into public.members select $1, unnest($2::int[])', [user_id, teams])
  }
  for (let from = 0; from < docs.length; from += 1_000) {
    const part = docs.slice(from, from + 1_000)
    const columns = [part.map(({ id }) => id), part.map(({ owner }) => owner), part.map(({ team }) => team)]
    const topics = part.map(({ topic }) => topic)
    const texts = part.map(({ vector }) => `[${vector.join(',')}]`)
    await client.query(
      'insert into public.docs select i, o, t, p, v::vector from unnest($1::int[], $2::text[], $3::int[], $4::int[], $5::text[]) as r (i, o, t, p, v)',
      [...columns, topics, texts],
    )
  }
  await client.query(`
    create table public.plain as select * from public.docs;
    create index on public.docs using hnsw (embedding vector_cosine_ops);
    create index on public.plain using hnsw (embedding vector_cosine_ops);
    analyze public.docs, public.plain;
    alter table public.docs enable row level security;
    ${POLICIES[0]!.sql}`)
}
