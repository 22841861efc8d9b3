import { useState } from 'react'
import { useCall } from '#console/call/use-call.ts'
import { useSettled } from '#console/call/use-settled.ts'
import { checkSearch } from '#contract/data-sources/check-search.ts'
import type { DataSource } from '#contract/data-sources/sources.ts'
import type { EmbeddingModel } from '#contract/data-sources/suggest/suggest-search.ts'
import type { DatabaseTable } from '#contract/database-tables.ts'
import { CheckPanel } from './check-panel.tsx'
import { composeDocument, isOf, type SearchDocument, savedDraft, suggestDraft } from './draft.ts'
import { DraftForm } from './draft-form.tsx'
import { EnablePanel } from './enable-panel.tsx'
import { Filling } from './filling.tsx'
import { PreviewPanel } from './preview-panel.tsx'
import { SavePanel } from './save-panel.tsx'
import { savedSearch } from './saved-search.ts'
import { useSaved } from './use-saved.ts'

/** A check asks the database, so it waits for the last of several choices. */
const PAUSE_MS = 400

type Props = {
  database: string
  table: DatabaseTable
  models: readonly EmbeddingModel[]
  source: DataSource | undefined
}

/** The choices on one side; the check, a preview and the command that saves on the other. */
export function Prepare({ database, table, models, source }: Props) {
  // A later save must not change the document under the hands of the person.
  const [saved] = useState(() => savedSearch(source))
  const [draft, setDraft] = useState(() => savedDraft(table, saved) ?? suggestDraft(table, models))
  const id = source?.source_id ?? `db_${database}`
  const document = composeDocument(table, draft, models, saved)
  const settled = useSettled(JSON.stringify(document), PAUSE_MS)
  const sent = JSON.parse(settled) as SearchDocument
  const check = useCall(checkSearch, { id, ...sent }, { enabled: source !== undefined, keep: true })
  const isCurrent = settled === JSON.stringify(document) && !check.isPlaceholderData
  const index = document.connection_config.embedding_configs.findIndex((entry) => isOf(entry.table, table))
  const place = `connection_config.embedding_configs.${index}`
  useSaved(source, document)
  return (
    <div className="prepare">
      <div className="stack">
        <DraftForm
          table={table}
          models={models}
          draft={draft}
          faults={faultsAt(place, check.data?.faults)}
          onChange={setDraft}
        />
        <Filling database={database} table={table} draft={draft} />
      </div>
      <div className="stack">
        {source === undefined ? (
          <EnablePanel database={database} />
        ) : (
          <>
            <CheckPanel
              check={check}
              isCurrent={isCurrent}
              others={saved.connection_config.embedding_configs.length}
              place={place}
            />
            <PreviewPanel id={id} document={document} isReady={isCurrent && check.data?.faults.length === 0} />
            <SavePanel
              id={id}
              document={document}
              isReady={isCurrent && check.data?.faults.length === 0}
              source={source}
            />
          </>
        )}
      </div>
    </div>
  )
}

type Faults = readonly { readonly path: string; readonly message: string }[]

/** Returns a function for the fault of a field of the entry, or of a filter by its whole path. */
function faultsAt(place: string, faults: Faults = []) {
  return (field: string) => faults.find(({ path }) => path === `${place}.${field}` || path === field)?.message
}
