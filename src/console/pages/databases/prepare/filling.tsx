import { Copy } from '#console/parts/text/copy.tsx'
import { nameOf } from '#contract/data-sources/suggest/suggest-search.ts'
import type { DatabaseTable } from '#contract/database-tables.ts'
import { filledText } from '../tables/count-text.ts'
import { asEmbedCommand } from './commands.ts'
import { contentOf, type Draft } from './draft.ts'

type Props = { database: string; table: DatabaseTable; draft: Draft }

/** How much of the vector column is filled, and the command that fills the rest. */
export function Filling({ database, table, draft }: Props) {
  const column = table.columns.find(({ name }) => name === draft.vector)
  if (!column) return null
  const { filled } = column
  const isComplete = filled !== null && table.rows !== null && filled.rows >= table.rows.rows && table.rows.rows > 0
  const text = contentOf(table, draft).filter((name) => isText(table, name) && name !== draft.id)
  return (
    <section className="card">
      <h2>Vectors</h2>
      <p>
        <code>{column.name}</code>: {filledText(column, table)}. Rows without a vector are never found.
      </p>
      {!isComplete && (
        <>
          <p className="soft">Fill it on the command line. Run it again for rows that come later.</p>
          <Copy isBlock text={asEmbedCommand({ database, table: nameOf(table), text, ...draft })} />
        </>
      )}
    </section>
  )
}

function isText({ columns }: DatabaseTable, name: string): boolean {
  return columns.some((column) => column.name === name && column.category === 'S')
}
