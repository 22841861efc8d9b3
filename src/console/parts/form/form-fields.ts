import { createContext, useContext } from 'react'
import { faultOf } from '../../call/explain.ts'
import { LIMITS, type Limits } from './limits.ts'

/** The values that were typed and ticked, by the path that the field has in the input of the operation: `settings.start_command`. */
export type Values = Readonly<Record<string, string | boolean>>

type FormFields = {
  readonly operation: string
  readonly values: Values
  readonly error: unknown
  readonly change: (name: string, value: string | boolean) => void
}

export const FormContext = createContext<FormFields | undefined>(undefined)

type FieldState = {
  readonly value?: string
  readonly isTicked?: boolean
  readonly onChange?: (value: string | boolean) => void
  readonly fault?: string | undefined
  readonly limits?: Limits
}

/**
 * Returns the state of a named field of the form around it, and nothing for a field without a name. `path` is for a value
 * that stands elsewhere in the input: `set.*` are the values of a record and `set.#` its keys.
 */
export function useField(name: string | undefined, path = name): FieldState {
  const form = useContext(FormContext)
  if (!form || name === undefined || path === undefined) return {}
  const value = form.values[name]
  if (value === undefined) throw new Error(`${name} is not among the fields of the form`)
  return {
    ...(typeof value === 'string' ? { value } : { isTicked: value }),
    onChange: (typed) => form.change(name, typed),
    fault: faultOf(form.error, path),
    limits: LIMITS[form.operation]?.[path.replace(/\.\d+/g, '.*')] ?? {},
  }
}
