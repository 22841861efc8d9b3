import { useId } from 'react'

type Props<T extends string> = {
  label: string
  value: T
  options: readonly { readonly value: T; readonly label: string }[]
  onChange: (value: T) => void
  /** Shows the label to screen readers only, for filters above a table. */
  isCompact?: boolean
  disabled?: boolean
}

/** A labelled list of which one is chosen. */
export function Choice<T extends string>({ label, value, options, onChange, isCompact = false, disabled }: Props<T>) {
  const id = useId()
  return (
    <div className={isCompact ? 'field compact' : 'field'}>
      <label htmlFor={id} className={isCompact ? 'visually-hidden' : undefined}>
        {label}
      </label>
      <select id={id} value={value} disabled={disabled} onChange={(event) => onChange(event.currentTarget.value as T)}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </div>
  )
}
