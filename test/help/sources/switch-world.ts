import { randomBytes } from 'node:crypto'
import { configureSource } from '#contract/data-sources/search-config.ts'
import { exposeSource } from '#contract/data-sources/sources.ts'
import type { Db } from '#lib/db/db.ts'
import { fakeVector, startFakeEmbeddings } from '../outside/fake-embeddings.ts'
import { startSystem } from '../system.ts'
import { makeSource, runIn } from './configured-source.ts'

/** Two models of the same size, so that a vector of the one and a column of the other would not be refused. */
export const MODELS = { before: 'fake/fake-small', after: 'other/fake-small' } as const
export const COLUMNS = { before: 'embedding', after: 'embedding_other_fake_small' } as const
export type ModelName = keyof typeof MODELS
const SALTS = { before: '', after: 'other' } as const

export function vectorOf(model: ModelName, text: string): number[] {
  return fakeVector(text, 8, SALTS[model])
}

/** The vector of a text as an SQL literal. */
export function literalOf(model: ModelName, text: string): string {
  return `'[${vectorOf(model, text).join(',')}]'`
}

export type SwitchWorld = Awaited<ReturnType<typeof startSwitchWorld>>

/** A source that is answered by two servers of one installation, with an index on the vectors of the first model. */
export async function startSwitchWorld(on: { db: Db; databaseUrl: string }, rows: number) {
  const stack = new AsyncDisposableStack()
  const before = stack.use(await startFakeEmbeddings())
  const after = stack.use(await startFakeEmbeddings({ salt: SALTS.after }))
  const env = {
    ...sharedSecrets(),
    SVC_QUESTIONS_PER_MINUTE: '10000000',
    SVC_QUESTIONS_PER_DAY: '10000000',
    SVC_GATEWAY_TOKENS_PER_DAY: '1000000000',
    SVC_AI_PROVIDERS: JSON.stringify([before.provider('fake'), after.provider('other')]),
  }
  const system = stack.use(await startSystem({ on, env }))
  const replica = stack.use(await startSystem({ on, env }))
  const { token } = await system.member('owner')
  const client = system.client(token)
  const source = await makeSource(client, 'docs', tableOf(rows))
  const entry = { label: 'docs', table: 'docs', model: MODELS.before, dimensions: 8, content_columns: 'id, title' }
  await client.call(configureSource, { id: source.id, connection_config: { embedding_configs: [entry] } })
  await client.call(exposeSource, { id: source.id, exposed: true, min_role: 'viewer' })
  return {
    client,
    source,
    token,
    urls: [system.url, replica.url] as const,
    run: (statement: string) => runIn(source.connection_string, statement),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

function sharedSecrets(): Record<string, string> {
  const names = ['JWT_SECRET', 'JWT_SIGNING_KEY', 'DATA_KEY', 'INTERNAL_SECRET', 'ACTOR_ASSERTION_SECRET']
  return Object.fromEntries(names.map((name) => [`SVC_${name}`, randomBytes(32).toString('hex')]))
}

function tableOf(rows: number): string {
  const values = Array.from({ length: rows }, (_, n) => `(${n}, 'row ${n}', ${literalOf('before', `row ${n}`)})`)
  return `create table docs (id int primary key, title text, ${COLUMNS.before} vector(8), touched int default 0);
    insert into docs (id, title, ${COLUMNS.before}) values ${values.join(', ')};
    create index on docs using hnsw (${COLUMNS.before} vector_cosine_ops)`
}
