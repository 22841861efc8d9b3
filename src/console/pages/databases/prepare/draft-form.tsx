import type { ReactNode } from 'react'
import { Choice } from '#console/parts/form/choice.tsx'
import { Field } from '#console/parts/form/field.tsx'
import { type EmbeddingModel, nameOf } from '#contract/data-sources/suggest/suggest-search.ts'
import type { DatabaseTable } from '#contract/database-tables.ts'
import { isVectorColumn } from '../tables/count-text.ts'
import { ColumnChoices } from './column-choices.tsx'
import { type Draft, type Metric, modelsFor, offeredColumns, toColumn } from './draft.ts'

type Props = {
  table: DatabaseTable
  models: readonly EmbeddingModel[]
  draft: Draft
  faults: (field: string) => string | undefined
  onChange: (draft: Draft) => void
}

const METRICS: readonly { value: Metric; label: string }[] = [
  { value: 'cosine', label: 'cosine' },
  { value: 'l2', label: 'l2 (Euclidean distance)' },
  { value: 'inner_product', label: 'inner product' },
]

/** The choices of a search configuration. Everything has a proposal, so that a person changes only what differs. */
export function DraftForm({ table, models, draft, faults, onChange }: Props) {
  const change = (changed: Partial<Draft>) => onChange({ ...draft, ...changed })
  const vectors = table.columns.filter(isVectorColumn)
  const vector = vectors.find(({ name }) => name === draft.vector)
  const fitting = vector ? modelsFor(toColumn(vector), models) : []
  const names = offeredColumns(table).map(({ column }) => ({ value: column.name, label: column.name }))
  return (
    <form className="card" aria-label="Search configuration" onSubmit={(event) => event.preventDefault()}>
      <h2>
        <code>{nameOf(table)}</code>
      </h2>
      <div className="prepare-fields">
        <Field
          label="Label"
          value={draft.label}
          maxLength={100}
          fault={faults('label')}
          hint="Questions name it to search only this table"
          onChange={(label) => change({ label })}
        />
        <Chosen fault={faults('columns') ?? faults('table') ?? faults('dimensions')}>
          <Choice
            label="Vector column"
            value={draft.vector}
            options={vectors.map(({ name, type }) => ({ value: name, label: `${name} ${type}` }))}
            onChange={(name) => change({ vector: name })}
          />
        </Chosen>
        <Chosen fault={faults('model')}>
          <Choice
            label="Model that filled it"
            value={draft.model}
            options={[
              ...(fitting.some(({ id }) => id === draft.model)
                ? []
                : [{ value: draft.model, label: 'Choose a model' }]),
              ...fitting.map(({ id }) => ({ value: id, label: id })),
            ]}
            onChange={(model) => change({ model })}
          />
        </Chosen>
        <Chosen fault={faults('distance_metric')}>
          <Choice label="Metric" value={draft.metric} options={METRICS} onChange={(metric) => change({ metric })} />
        </Chosen>
        <Choice
          label="Id of a hit"
          value={draft.id}
          options={[...(draft.id === '' ? [{ value: '', label: 'Choose a column' }] : []), ...names]}
          onChange={(id) => change({ id })}
        />
        <Choice
          label="Title of a hit"
          value={draft.title}
          options={[{ value: '', label: 'No title' }, ...names.filter(({ value }) => value !== draft.id)]}
          onChange={(title) => change({ title })}
        />
      </div>
      <ColumnChoices table={table} draft={draft} faults={faults} onChange={change} />
    </form>
  )
}

function Chosen({ fault, children }: { fault: string | undefined; children: ReactNode }) {
  return (
    <div>
      {children}
      {fault !== undefined && <p className="fault">{fault}</p>}
    </div>
  )
}
