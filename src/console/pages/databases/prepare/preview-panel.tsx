import { useState } from 'react'
import type { z } from 'zod'
import { Hits } from '#console/pages/mcp/source/ask/hits.tsx'
import { ActForm } from '#console/parts/form/act-form.tsx'
import { Field } from '#console/parts/form/field.tsx'
import { activityStatistics, listActivity } from '#contract/activity.ts'
import { previewSearch } from '#contract/data-sources/check-search.ts'
import { isSameDocument, type SearchDocument } from './draft.ts'

type Answer = z.infer<typeof previewSearch.output>

/** Asks one question under the document, before it is saved. */
export function PreviewPanel({ id, document, isReady }: { id: string; document: SearchDocument; isReady: boolean }) {
  const [previewed, setPreviewed] = useState<{ answer: Answer; document: SearchDocument }>()
  return (
    <>
      <ActForm
        className="card"
        op={previewSearch}
        fields={{ query: '' }}
        input={({ query }) => ({ id, ...document, query, top_k: 5 })}
        changes={[listActivity, activityStatistics]}
        after={(answer, { connection_config, filter_schema }) =>
          setPreviewed({ answer, document: { connection_config, filter_schema } })
        }
        submit="Preview answer"
        running="Asking…"
        isReady={() => isReady}
      >
        <h2>Preview</h2>
        <Field
          label="Question"
          name="query"
          required
          maxLength={8000}
          autoComplete="off"
          hint="Counts as a question and is recorded in Activity, never with its text"
        />
      </ActForm>
      {previewed && (
        <div className="stack">
          {!isSameDocument(previewed.document, document) && (
            <p className="banner">The choices changed since this preview. Preview again to see their answer.</p>
          )}
          <Hits answer={previewed.answer} />
        </div>
      )}
    </>
  )
}
