import { shellOption, shellWord } from '#contract/core/shell-word.ts'
import { configureSource } from '#contract/data-sources/search-config.ts'
import { quoted } from '#contract/data-sources/suggest/suggest-search.ts'
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
  return [
    `svc db embed ${shellWord(database)}`,
    shellOption('table', table),
    // Commas and quotes are part of a name only inside the quotes of SQL.
    shellOption('text', text.length === 0 ? '<columns>' : text.map(quoted).join(',')),
    ...(vector === 'embedding' ? [] : [shellOption('column', vector)]),
    shellOption('model', model === '' ? '<model>' : model),
  ].join(' ')
}
