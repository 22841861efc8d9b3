import { setTimeout } from 'node:timers/promises'
import { createEmbeddings } from '#contract/ai.ts'
import type { Client } from '#contract/core/client.ts'
import { configureSource } from '#contract/data-sources/search-config.ts'
import { exposeSource, switchSource } from '#contract/data-sources/sources.ts'
import { createDatabase, readConnection } from '#contract/databases.ts'
import type { ExampleDeps } from './deps.ts'
import { fillHandbook } from './fill.ts'
import { readHandbook } from './handbook.ts'
import { makeHello } from './hello.ts'
import { ignoreConflict } from './ignore-conflict.ts'

export { EXAMPLE_APP } from './hello.ts'

const EXAMPLE_DATABASE = 'handbook'
const LOOK_AGAIN_MS = 250
const MAX_WAIT_MS = 120_000
const MODEL = 'builtin/all-minilm-l6-v2'

export const EXAMPLE_SOURCE = `db_${EXAMPLE_DATABASE}`

/** Makes a data source that can be asked right after the first start. */
type Example = {
  /**
   * Makes the data source as any user would: each step is a call of the API, or plain SQL over the connection string.
   * Steps can be repeated, so a start that was killed in the middle continues at the next start. The vectors of the
   * articles come from a file, because embedding them takes seconds.
   */
  make(folder: string): Promise<void>
  /**
   * Deploys the small app in `folder`, in the same way, with a check, a ticket, a function and a pipeline. It takes
   * longer, so a start does not wait for it.
   */
  makeApp(folder: string): Promise<void>
}

export function createExample(deps: ExampleDeps): Example {
  return {
    make: (folder) => makeExample(deps, folder),
    makeApp: (folder) => makeHello(deps, folder),
  }
}

async function makeExample({ clientOf, account, stopping }: ExampleDeps, folder: string): Promise<void> {
  const client = clientOf(account.api_key)
  // Loads the model meanwhile, so that the first question does not wait for it.
  const options = stopping ? { signal: stopping } : {}
  const modelLoaded = client.call(createEmbeddings, { model: MODEL, input: ['handbook'] }, options)
  await Promise.all([modelLoaded, makeSource(client, folder)])
}

async function makeSource(client: Client, folder: string): Promise<void> {
  const name = EXAMPLE_DATABASE
  await client.call(createDatabase, { name }).catch(ignoreConflict)
  const connection_string = await readWhenReady(client, name)
  await fillHandbook(connection_string, readHandbook(folder))
  const description = 'The handbook of an invented company: leave, pay, travel, security and more'
  await client.call(switchSource, { name, enabled: true, description })
  await client.call(configureSource, {
    id: EXAMPLE_SOURCE,
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
  await client.call(exposeSource, { id: EXAMPLE_SOURCE, exposed: true, min_role: 'viewer' })
}

/** A start that was killed can leave the database half made. The worker finishes it. */
async function readWhenReady(client: Client, name: string): Promise<string> {
  for (let waitedMs = 0; waitedMs < MAX_WAIT_MS; waitedMs += LOOK_AGAIN_MS) {
    const read = await client.call(readConnection, { name }).catch(ignoreConflict)
    if (read) return read.connection_string
    await setTimeout(LOOK_AGAIN_MS, undefined, { ref: false })
  }
  return (await client.call(readConnection, { name })).connection_string
}
