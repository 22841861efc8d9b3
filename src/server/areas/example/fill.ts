import pg from 'pg'
import type { EmbeddedArticle } from './handbook.ts'

const TABLE = `
  create table if not exists public.articles (
    slug text primary key,
    title text not null,
    body text not null,
    category text not null,
    published boolean not null,
    embedding vector(384) not null
  )`

/** Fills the example database as its owner would: over the connection string, with plain SQL. */
export async function fillHandbook(connectionString: string, articles: readonly EmbeddedArticle[]): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    await client.query(TABLE)
    const column = (of: (article: EmbeddedArticle) => unknown) => articles.map(of)
    await client.query(
      `insert into public.articles (slug, title, body, category, published, embedding)
       select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::boolean[], $6::text[]::vector[])
       on conflict (slug) do nothing`,
      [
        column(({ slug }) => slug),
        column(({ title }) => title),
        column(({ body }) => body),
        column(({ category }) => category),
        column(({ published }) => published),
        column(({ embedding }) => `[${embedding.join(',')}]`),
      ],
    )
    await client.query('create index if not exists articles_category on public.articles (category)')
  } finally {
    await client.end()
  }
}
