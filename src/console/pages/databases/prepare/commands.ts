import { quoted } from '#console/pages/mcp/source/ask/same-request.ts'
import { configureSource } from '#contract/data-sources/search-config.ts'
import type { Draft, SearchDocument } from './draft.ts'

/** The command of the client that saves the document. It uses the login of the person, so it has no token. */
export function asSvcCommand(id: string, document: SearchDocument): string {
  const path = configureSource.path.replace('{id}', encodeURIComponent(id))
  return [`svc api PUT ${path} --data - <<'EOF'`, JSON.stringify(document, null, 2), 'EOF'].join('\n')
}

type Filling = Pick<Draft, 'vector' | 'model'> & {
  readonly database: string
  readonly table: string
  readonly text: readonly string[]
}

/** The command that fills the vector column of a table from its columns of text. */
export function asEmbedCommand({ database, table, text, vector, model }: Filling): string {
  const column = vector === 'embedding' ? '' : ` --column ${quoted(vector)}`
  const columns = text.length === 0 ? '<columns>' : text.map(quoted).join(',')
  return `svc db embed ${database} --table ${quoted(table)} --text ${columns}${column} --model ${quoted(model === '' ? '<model>' : model)}`
}
