import { type ReactNode, useId } from 'react'

type Props = {
  label: string
  value: string
  onChange: (value: string) => void
  maxLength: number
  required?: boolean
  fault?: string | undefined
  hint?: ReactNode
}

/** A labelled text of several lines. */
export function TextArea({ label, fault, hint, onChange, ...input }: Props) {
  const id = useId()
  const note = useId()
  const text = fault ?? hint
  return (
    <div className="field wide-field">
      <label htmlFor={id}>{label}</label>
      <textarea
        {...input}
        id={id}
        aria-invalid={fault !== undefined}
        aria-describedby={text === undefined ? undefined : note}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      {text !== undefined && (
        <p id={note} className={fault === undefined ? 'soft' : 'fault'}>
          {text}
        </p>
      )}
    </div>
  )
}
