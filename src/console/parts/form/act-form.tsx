import { type ReactNode, type SubmitEvent, useState } from 'react'
import type { z } from 'zod'
import { ServiceError } from '#contract/core/errors.ts'
import type { JsonOperation } from '#contract/core/operation.ts'
import { type Act, useAct } from '../../call/use-act.ts'
import { useClose } from './close-context.ts'
import { Fault } from './fault.tsx'
import { FormContext, type Values } from './form-fields.ts'

/** A function gets what stands in the fields at that moment. */
type Change<V> = (changed: Partial<V> | ((typed: V) => Partial<V>)) => void

export type ActFormProps<I extends z.ZodObject, O extends z.ZodType, V extends Values> = Omit<Act<I, O>, 'after'> & {
  op: JsonOperation<I, O>
  /** The fields as they are at first. Those inside the form name one of them. */
  fields: V
  input: (typed: V) => z.input<I>
  /** Without it the dialog is closed. */
  after?: (output: z.output<O>, sent: z.input<I>, form: { typed: V; change: Change<V> }) => void
  submit: string | ((typed: V) => string)
  /** The words of the button while the form is sent, where that takes long. */
  running?: string
  isReady?: (typed: V) => boolean
  /** How the button looks: `main`, `danger` or plain. */
  look?: string
  /** Places the button, where it does not simply stand at the end. */
  foot?: (button: ReactNode) => ReactNode
  /** Another act beside or after that of the form. The form is busy while it runs, and shows its failure. */
  next?: { readonly isRunning: boolean; readonly error: unknown }
  className?: string
  children: ReactNode | ((typed: V, change: Change<V>) => ReactNode)
}

/** The form of an operation that changes something. It is sent once, however often its button is pressed. */
export function ActForm<I extends z.ZodObject, O extends z.ZodType, V extends Values>(props: ActFormProps<I, O, V>) {
  const { op, fields, input, submit, running, isReady, look = 'main', foot, next, className, children, ...act } = props
  const [values, setValues] = useState(fields)
  const change: Change<V> = (changed) =>
    setValues((typed) => ({ ...typed, ...(typeof changed === 'function' ? changed(typed) : changed) }))
  const close = useClose()
  const after = act.after ?? close
  const { run, ...sending } = useAct(op, {
    ...act,
    after: (output, sent) => after?.(output, sent, { typed: values, change }),
  })
  const isRunning = sending.isRunning || next?.isRunning === true
  const error = sending.error ?? next?.error
  const isDisabled = isReady?.(values) === false
  const send = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    // React hands the event to a form around the dialog too, if the dialog was opened from inside of one.
    event.stopPropagation()
    if (!isDisabled && next?.isRunning !== true) run(input(values))
  }
  const button = (
    <button type="submit" className={`button ${look}`.trim()} disabled={isDisabled} aria-busy={isRunning}>
      {isRunning && running !== undefined ? running : typeof submit === 'function' ? submit(values) : submit}
    </button>
  )
  const context = {
    operation: op.name,
    values,
    error,
    change: (name: string, value: string | boolean) => setValues((typed) => ({ ...typed, [name]: value })),
  }
  return (
    <form className={className} onSubmit={send}>
      <FormContext value={context}>{typeof children === 'function' ? children(values, change) : children}</FormContext>
      {!isShownByFields(error, values) && <Fault of={error} />}
      {foot ? foot(button) : <Foot button={button} />}
    </form>
  )
}

function isShownByFields(error: unknown, values: Values): boolean {
  if (!(error instanceof ServiceError) || !error.errors?.length) return false
  return error.errors.every(({ path }) => path in values)
}

/** A form in a dialog can be left without sending it. */
function Foot({ button }: { button: ReactNode }) {
  const close = useClose()
  if (!close) return button
  return (
    <footer className="row">
      <button type="button" className="button" onClick={close}>
        Cancel
      </button>
      {button}
    </footer>
  )
}
