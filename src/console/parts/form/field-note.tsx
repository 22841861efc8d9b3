import { type ReactNode, useId } from 'react'

export type Noted = {
  /** The fault of the value, from the server or from a rule of the form. */
  fault?: string | undefined
  hint?: ReactNode
}

/** The hint of a field, or its fault in place of it, and the attributes with which it is read together with the field. */
export function useNote({ fault, hint }: Noted) {
  const id = useId()
  const text = fault ?? hint
  return {
    described: { 'aria-invalid': fault !== undefined, 'aria-describedby': text === undefined ? undefined : id },
    note: text !== undefined && (
      <p id={id} className={fault === undefined ? 'soft' : 'fault'}>
        {text}
      </p>
    ),
  }
}
