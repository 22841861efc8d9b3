import type { ResolvedEntry } from '../../src/server/areas/data-sources/search/entry.ts'
import { type Managed, openManaged, type Table } from '../recall/database.ts'

const BATCH = 500
const TABLE: Table = { name: 'texts', dimensions: 384, content: 'id, body', filters: {} }

export type Texts = { readonly texts: readonly string[]; readonly vectors: readonly Float32Array[] }
export type Filled = AsyncDisposable & { readonly managed: Managed; readonly entry: ResolvedEntry }

/** A managed database with one table of these texts, searched by an index. */
export async function openTable(url: string, texts: Texts): Promise<Filled> {
  const managed = await openManaged(url)
  try {
    await fill(managed, texts)
    const { entry } = await managed.index(TABLE, { method: 'hnsw' })
    return { managed, entry, [Symbol.asyncDispose]: () => managed[Symbol.asyncDispose]() }
  } catch (error) {
    await managed[Symbol.asyncDispose]()
    throw error
  }
}

async function fill({ owner }: Managed, { texts, vectors }: Texts): Promise<void> {
  await owner.query('create unlogged table texts (id int, body text, embedding vector(384))')
  for (let from = 0; from < texts.length; from += BATCH) {
    const part = texts.slice(from, from + BATCH)
    await owner.query(
      `insert into texts select id, body, embedding
       from unnest($1::int[], $2::text[], $3::vector[]) as r (id, body, embedding)`,
      [part.map((_, i) => from + i), part, part.map((_, i) => `[${vectors[from + i]!.join(',')}]`)],
    )
  }
  await owner.query('vacuum analyze texts')
}
