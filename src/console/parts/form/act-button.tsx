import type { ReactNode } from 'react'
import type { z } from 'zod'
import type { JsonOperation } from '#contract/core/operation.ts'
import { type Act, useAct } from '../../call/use-act.ts'
import { Fault } from './fault.tsx'

type Props<I extends z.ZodObject, O extends z.ZodType> = Act<I, O> & {
  op: JsonOperation<I, O>
  input: z.input<I>
  /** Such as `main` or `small`. */
  look?: string
  children: ReactNode
}

/** A button that acts at once. It acts once, however often it is pressed. */
export function ActButton<I extends z.ZodObject, O extends z.ZodType>(props: Props<I, O>) {
  const { op, input, look = '', children, ...act } = props
  const { run, isRunning, error } = useAct(op, act)
  return (
    <>
      <button type="button" className={`button ${look}`.trim()} aria-busy={isRunning} onClick={() => run(input)}>
        {children}
      </button>
      <Fault of={error} />
    </>
  )
}
