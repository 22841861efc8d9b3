import type { z } from 'zod'
import { ActForm, type ActFormProps } from './act-form.tsx'
import { Dialog } from './dialog.tsx'
import type { Values } from './form-fields.ts'

type Props<I extends z.ZodObject, O extends z.ZodType, V extends Values> = Omit<ActFormProps<I, O, V>, 'submit'> & {
  /** A verb with its object, as on the button that opened it: `Create app`. */
  title: string
  /** The words of the button, if not those of the title. */
  submit?: string
}

export function FormDialog<I extends z.ZodObject, O extends z.ZodType, V extends Values>({
  title,
  submit = title,
  ...form
}: Props<I, O, V>) {
  return (
    <Dialog title={title}>
      <ActForm {...form} submit={submit} />
    </Dialog>
  )
}
