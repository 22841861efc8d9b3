import type { z } from 'zod'
import type { JsonOperation } from '#contract/core/operation.ts'
import { type Act, useAct } from '../../call/use-act.ts'
import { Choice } from './choice.tsx'
import { Fault } from './fault.tsx'

type Props<T extends string, I extends z.ZodObject, O extends z.ZodType> = Act<I, O> & {
  op: JsonOperation<I, O>
  input: (chosen: T) => z.input<I>
  label: string
  value: T
  options: readonly { readonly value: T; readonly label: string }[]
}

/** A list in which a choice is saved at once. */
export function ActChoice<T extends string, I extends z.ZodObject, O extends z.ZodType>(props: Props<T, I, O>) {
  const { op, input, label, value, options, ...act } = props
  const { run, error } = useAct(op, act)
  return (
    <>
      <Choice label={label} isCompact value={value} options={options} onChange={(chosen) => run(input(chosen))} />
      <Fault of={error} />
    </>
  )
}
