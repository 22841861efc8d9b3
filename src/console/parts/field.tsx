import { type InputHTMLAttributes, type ReactNode, useId } from 'react'

type Props = Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange' | 'id'> & {
  label: string
  /** What is wrong with the value, from the server or from a rule of the form. */
  fault?: string | undefined
  hint?: ReactNode
  onChange?: (value: string) => void
}

/** A labelled input. Its hint and its fault are read with it. */
export function Field({ label, fault, hint, onChange, ...input }: Props) {
  const id = useId()
  const note = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        {...input}
        id={id}
        aria-invalid={fault !== undefined}
        aria-describedby={fault !== undefined || hint !== undefined ? note : undefined}
        onChange={(event) => onChange?.(event.currentTarget.value)}
      />
      {(fault !== undefined || hint !== undefined) && (
        <p id={note} className={fault === undefined ? 'soft' : 'fault'}>
          {fault ?? hint}
        </p>
      )}
    </div>
  )
}
