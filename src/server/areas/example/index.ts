import { createEmbeddings } from '#contract/ai.ts'
import type { Client } from '#contract/core/client.ts'
import { ServiceError } from '#contract/core/errors.ts'
import { configureSource } from '#contract/data-sources/search-config.ts'
import { exposeSource, switchSource } from '#contract/data-sources/sources.ts'
import { createDatabase, readConnection } from '#contract/databases.ts'
import { type Filled, fillHandbook } from './fill.ts'
import { HANDBOOK } from './handbook.ts'
import { makeHello } from './hello.ts'

const EXAMPLE_DATABASE = 'handbook'
const MODEL = 'builtin/all-minilm-l6-v2'
const MAX_TEXTS_PER_CALL = 40

/** Makes a data source that can be asked right after the first start. */
type Example = {
  /**
   * Makes the data source as any user would: each step is a call of the API, or plain SQL over the connection string.
   * Steps can be repeated, so a start that was killed in the middle continues at the next start.
   */
  make(): Promise<void>
  /** Deploys the small app in `folder`, in the same way. It takes longer, so a start does not wait for it. */
  makeApp(folder: string): Promise<void>
}

export function createExample({ client }: { client: Client }): Example {
  return { make: () => makeExample(client), makeApp: (folder) => makeHello(client, folder) }
}

async function makeExample(client: Client): Promise<void> {
  const name = EXAMPLE_DATABASE
  await client.call(createDatabase, { name }).catch(ignoreConflict)
  const { connection_string } = await client.call(readConnection, { name })
  await fillHandbook(connection_string, await embedAll(client))
  const description = 'The handbook of an invented company: leave, pay, travel, security and more'
  await client.call(switchSource, { name, enabled: true, description })
  await client.call(configureSource, {
    id: `db_${name}`,
    connection_config: {
      embedding_configs: [
        {
          label: 'articles',
          table: 'public.articles',
          model: MODEL,
          dimensions: 384,
          content_columns: 'slug,title,body,category,published',
        },
      ],
    },
    filter_schema: { category: 'string', published: 'boolean' },
  })
  await client.call(exposeSource, { id: `db_${name}`, exposed: true, min_role: 'viewer' })
}

async function embedAll(client: Client): Promise<Filled[]> {
  const filled: Filled[] = []
  for (let at = 0; at < HANDBOOK.length; at += MAX_TEXTS_PER_CALL) {
    const articles = HANDBOOK.slice(at, at + MAX_TEXTS_PER_CALL)
    const input = articles.map(({ title, body }) => `${title}\n${body}`)
    const { data } = await client.call(createEmbeddings, { model: MODEL, input })
    for (const [i, article] of articles.entries())
      filled.push({ ...article, embedding: data[i]!.embedding as number[] })
  }
  return filled
}

/** Ignores that the database exists already, from a start that was killed. */
function ignoreConflict(error: unknown): void {
  if (!(error instanceof ServiceError && error.code === 'CONFLICT')) throw error
}
