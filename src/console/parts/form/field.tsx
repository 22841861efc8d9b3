import { type InputHTMLAttributes, useId } from 'react'
import { type Noted, useNote } from './field-note.tsx'
import { useField } from './form-fields.ts'

type Props = Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange' | 'id'> &
  Noted & {
    label: string
    /** Where the value stands in the input of the operation, if not under `name`. */
    path?: string
    onChange?: (value: string) => void
  }

/** A labelled input. With a `name` its value, limits and fault are those of the form around it. */
export function Field({ label, name, path, fault, hint, onChange, ...input }: Props) {
  const id = useId()
  const field = useField(name, path)
  const { described, note } = useNote({ fault: fault ?? field.fault, hint })
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        {...field.limits}
        value={field.value}
        {...input}
        {...described}
        id={id}
        onChange={(event) => (onChange ?? field.onChange)?.(event.currentTarget.value)}
      />
      {note}
    </div>
  )
}
