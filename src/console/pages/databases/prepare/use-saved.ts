import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useNotices } from '#console/call/notices.tsx'
import type { DataSource } from '#contract/data-sources/sources.ts'
import { isSameDocument, type SearchDocument } from './draft.ts'
import { savedSearch } from './saved-search.ts'

/** Goes on to the exposure of the source, or to its questions, once somebody has saved the document. */
export function useSaved(source: DataSource | undefined, document: SearchDocument): void {
  const navigate = useNavigate()
  const notices = useNotices()
  const [before, setBefore] = useState(source?.updated_at)
  const isSaved = source !== undefined && isSameDocument(savedSearch(source), document)
  useEffect(() => {
    if (!source || source.updated_at === before) return
    // Enabling the source changes it too.
    setBefore(source.updated_at)
    if (!isSaved) return
    notices.prepare()(
      source.exposed ? 'Saved. Ask it a question.' : 'Saved. Choose who may ask it, then ask it a question.',
    )
    const to = source.exposed ? '/mcp/sources/$id' : '/mcp/sources/$id/exposure'
    void navigate({ to, params: { id: source.source_id } })
  }, [source, before, isSaved, navigate, notices])
}
