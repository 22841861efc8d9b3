import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { z } from 'zod'
import type { CallOptions } from '#contract/core/client-send.ts'
import type { JsonOperation, Operation } from '#contract/core/operation.ts'
import { useSession } from '../session/session.ts'
import { useNotices } from './notices.tsx'

type Act<I extends z.ZodObject, O extends z.ZodType> = {
  /** The reads whose answers are different now. */
  readonly changes: readonly Operation[]
  /** Says what happened, in the past tense. */
  readonly done?: (output: z.output<O>, input: z.input<I>) => string
  readonly after?: (output: z.output<O>, input: z.input<I>) => void
  readonly options?: () => CallOptions
}

/** Prepares a change. Show `error` beside the control that started it: nothing else tells the person that it failed. */
export function useAct<I extends z.ZodObject, O extends z.ZodType>(op: JsonOperation<I, O>, act: Act<I, O>) {
  const { api } = useSession()
  const queries = useQueryClient()
  const notices = useNotices()
  const mutation = useMutation({
    mutationFn: (input: z.input<I>) => api.call(op, input, act.options?.()),
    onSuccess: async (output, input) => {
      // The act takes its turn now: reading again takes its time, and a later act may be done before.
      const say = notices.prepare()
      await Promise.all(act.changes.map(({ name }) => queries.invalidateQueries({ queryKey: [name] })))
      if (act.done) say(act.done(output, input))
      act.after?.(output, input)
    },
  })
  return {
    run: (input: z.input<I>) => mutation.mutate(input),
    isRunning: mutation.isPending,
    error: mutation.error,
    reset: () => mutation.reset(),
  }
}
