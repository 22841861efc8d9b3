import { type SubmitEvent, useId, useState } from 'react'
import { Choice } from '#console/parts/form/choice.tsx'
import { Fault } from '#console/parts/form/fault.tsx'
import { Field } from '#console/parts/form/field.tsx'
import type { Source } from '../source.ts'
import { CopyLink } from './copy-link.tsx'
import { FilterField } from './filter-field.tsx'
import { toFilters } from './filter-values.ts'
import { linkOf, type QuestionDraft } from './question-link.ts'
import type { Question } from './same-request.ts'
import '#console/styles/ask.css'

const ALL_ENTRIES = ''

type Props = {
  source: Source
  /** The values of the fields at first. */
  proposed: QuestionDraft
  isRunning: boolean
  error: unknown
  onAsk: (question: Question) => void
}

/** The question, the filters that the source offers, the number of hits and the entry to search. */
export function AskForm({ source, proposed, isRunning, error, onAsk }: Props) {
  const [draft, setDraft] = useState(proposed)
  const { query, typed, topK, target } = draft
  const change = (changed: Partial<QuestionDraft>) => setDraft((before) => ({ ...before, ...changed }))
  const { filters, faults } = toFilters(source.filters, typed)
  const columns = Object.entries(source.filters)
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isRunning || Object.keys(faults).length > 0) return
    onAsk({ id: source.id, query, filters, top_k: Number(topK), ...(target !== ALL_ENTRIES && { target }) })
  }
  return (
    <form className="card ask" onSubmit={submit}>
      <QuestionField value={query} onChange={(changed) => change({ query: changed })} />
      {columns.length > 0 && (
        <fieldset className="filter-fields">
          <legend>Filters</legend>
          {columns.map(([column, type]) => (
            <FilterField
              key={column}
              source={source}
              target={target}
              column={column}
              type={type}
              values={Object.hasOwn(typed, column) ? typed[column]! : ['']}
              fault={Object.hasOwn(faults, column) ? faults[column] : undefined}
              onChange={(values) => change({ typed: { ...typed, [column]: values } })}
            />
          ))}
        </fieldset>
      )}
      <div className="row ask-options">
        <Field
          label="Number of hits"
          type="number"
          min={1}
          max={20}
          required
          value={topK}
          onChange={(changed) => change({ topK: changed })}
        />
        {source.labels && source.labels.length > 1 && (
          <Choice
            label="Target"
            value={target}
            options={[
              { value: ALL_ENTRIES, label: 'All entries' },
              ...source.labels.map((label) => ({ value: label, label })),
            ]}
            onChange={(changed) => change({ target: changed })}
          />
        )}
        <CopyLink link={() => linkOf(location.origin + location.pathname, draft)} />
        <button type="submit" className="button main" aria-busy={isRunning}>
          {isRunning ? 'Asking…' : 'Ask source'}
        </button>
      </div>
      <Fault of={error} />
    </form>
  )
}

function QuestionField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const id = useId()
  const note = useId()
  return (
    <div className="field full">
      <label htmlFor={id}>Question</label>
      <textarea
        id={id}
        required
        maxLength={8000}
        rows={2}
        value={value}
        aria-describedby={note}
        onChange={(event) => onChange(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit()
        }}
      />
      <p id={note} className="soft">
        In plain language. Activity records that you asked, never the text.{' '}
        <span className="by-keyboard">Ctrl+Enter asks.</span>
      </p>
    </div>
  )
}
