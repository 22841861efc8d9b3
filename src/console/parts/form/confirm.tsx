import type { ReactNode } from 'react'
import type { z } from 'zod'
import type { JsonOperation } from '#contract/core/operation.ts'
import type { Act } from '../../call/use-act.ts'
import { Field } from './field.tsx'
import { FormDialog } from './form-dialog.tsx'

export type ConfirmProps<I extends z.ZodObject, O extends z.ZodType> = Act<I, O> & {
  op: JsonOperation<I, O>
  input: z.input<I>
  /** A verb with its object, as on the button that opened it: `Delete app`. */
  title: string
  children: ReactNode
  /** The name that the person must type before something is destroyed. */
  typed?: string
}

/** Asks before an act. Acts that destroy something name it and ask for its name. */
export function Confirm<I extends z.ZodObject, O extends z.ZodType>({
  input,
  typed,
  children,
  ...act
}: ConfirmProps<I, O>) {
  return (
    <FormDialog
      {...act}
      fields={{ typed: '' }}
      input={() => input}
      isReady={(form) => typed === undefined || form.typed === typed}
      look={typed === undefined ? 'main' : 'danger'}
    >
      {children}
      {typed !== undefined && <Field name="typed" label={`Type ${typed} to confirm`} autoComplete="off" />}
    </FormDialog>
  )
}
