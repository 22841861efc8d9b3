import { useId } from 'react'
import { Choice } from '#console/parts/form/choice.tsx'
import type { FilterType } from '#contract/data-sources/sources.ts'
import type { Source } from '../source.ts'
import { addValue } from './filter-values.ts'
import { KnownValues } from './known-values.tsx'

type Props = {
  source: Source
  /** Empty for all entries. */
  target: string
  column: string
  type: FilterType
  /** At least one, which is empty while nothing was typed. */
  values: readonly string[]
  fault: string | undefined
  onChange: (values: readonly string[]) => void
}

const BOOLEANS = [
  { value: '', label: 'Any' },
  { value: 'true', label: 'true' },
  { value: 'false', label: 'false' },
] as const

/** One column to filter on. Several values match any of them. */
export function FilterField({ source, target, column, type, values, fault, onChange }: Props) {
  const note = useId()
  if (type === 'boolean')
    return (
      <Choice
        label={column}
        value={values[0] as (typeof BOOLEANS)[number]['value']}
        options={BOOLEANS}
        onChange={(value) => onChange([value])}
      />
    )
  return (
    <fieldset className="field">
      <legend>{column}</legend>
      {values.map((value, index) => (
        <input
          // biome-ignore lint/suspicious/noArrayIndexKey: values have no identity beside their place
          key={index}
          aria-label={index === 0 ? column : `${column}, or value ${index + 1}`}
          aria-invalid={fault !== undefined}
          aria-describedby={fault === undefined ? undefined : note}
          inputMode={type === 'number' ? 'decimal' : 'text'}
          placeholder={index === 0 ? `any ${type}` : 'or this value'}
          value={value}
          maxLength={8000}
          onChange={(event) => onChange(values.with(index, event.currentTarget.value))}
        />
      ))}
      {values.at(-1) !== '' && values.length < 100 && (
        <button type="button" className="button quiet small" onClick={() => onChange([...values, ''])}>
          Add value<span className="visually-hidden"> for {column}</span>
        </button>
      )}
      <KnownValues
        key={target}
        id={source.id}
        target={target}
        column={column}
        onChoose={(value) => onChange(addValue(values, value))}
      />
      {fault !== undefined && (
        <p id={note} className="fault">
          {fault}
        </p>
      )}
    </fieldset>
  )
}
