import { type TextareaHTMLAttributes, useId } from 'react'
import { type Noted, useNote } from './field-note.tsx'
import { useField } from './form-fields.ts'

type Props = Pick<TextareaHTMLAttributes<HTMLTextAreaElement>, 'required'> &
  Noted & { label: string; name: string; path?: string }

/** A labelled text of several lines, in a form. */
export function TextArea({ label, name, path, hint, required }: Props) {
  const id = useId()
  const { limits, value, onChange, fault } = useField(name, path)
  const { described, note } = useNote({ fault, hint })
  return (
    <div className="field wide-field">
      <label htmlFor={id}>{label}</label>
      <textarea
        maxLength={limits?.maxLength}
        value={value}
        required={required}
        {...described}
        id={id}
        onChange={(event) => onChange?.(event.currentTarget.value)}
      />
      {note}
    </div>
  )
}
