import { type ReactNode, useId } from 'react'
import { useNote } from '#console/parts/form/field-note.tsx'
import { VisibleText } from '#console/parts/text/visible-text.tsx'
import { showInvisible } from '#contract/core/show-invisible.ts'
import type { FieldText } from './form-state.ts'
import type { Argument } from './read-fields.ts'

type Props = { field: Argument; shown: FieldText; fault: string | undefined; onChange: (text: string) => void }

const KINDS = {
  text: 'text',
  number: 'number',
  integer: 'whole number',
  boolean: 'true or false',
  choice: 'choice',
  json: 'JSON',
}

/** One argument of a function. Its name and texts were written by the author of an app. */
export function ArgumentField({ field, shown, fault, onChange }: Props) {
  const id = useId()
  const hint = shown.note ?? (field.hint === '' ? undefined : <VisibleText line={field.hint.replaceAll('\n', ' ')} />)
  const { described, note } = useNote({ fault: fault ?? shown.fault, hint })
  const control = { id, ...described, 'aria-required': field.isRequired }
  return (
    <div className="field argument">
      <div className="row">
        <label htmlFor={id}>
          <code>
            <VisibleText line={field.name} />
          </code>
        </label>
        <span className="soft">
          {KINDS[field.kind]}
          {field.isRequired ? ', required' : ''}
        </span>
      </div>
      <Control field={field} text={shown.text} control={control} onChange={onChange} />
      {note}
    </div>
  )
}

type ControlProps = {
  field: Argument
  text: string
  control: { id: string; 'aria-required': boolean }
  onChange: (text: string) => void
}

function Control({ field, text, control, onChange }: ControlProps): ReactNode {
  if (field.kind === 'choice' || field.kind === 'boolean')
    return (
      <select {...control} value={text} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">{field.isRequired ? 'Choose a value' : 'Leave out'}</option>
        {optionsOf(field).map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    )
  if (field.kind === 'json' || (field.kind === 'text' && (field.isLong || text.includes('\n'))))
    return (
      <textarea
        {...control}
        className={field.kind === 'json' ? 'code' : undefined}
        rows={1}
        spellCheck={field.kind !== 'json'}
        value={text}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    )
  return (
    <input
      {...control}
      inputMode={field.kind === 'text' ? 'text' : 'decimal'}
      autoComplete="off"
      value={text}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}

function optionsOf(field: Argument): { value: string; label: string }[] {
  if (field.kind !== 'choice') return ['true', 'false'].map((value) => ({ value, label: value }))
  return field.options.map((option, index) => ({ value: String(index), label: labelOf(option) }))
}

/** Quotes a text that could be read as a value of another type. */
function labelOf(option: string | number | boolean | null): string {
  if (typeof option !== 'string') return String(option)
  const isPlain = option !== '' && !/^(?:null|true|false|[-\d.].*)$/.test(option)
  return isPlain ? showInvisible(option) : JSON.stringify(showInvisible(option))
}
