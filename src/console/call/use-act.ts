import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { z } from 'zod'
import type { JsonOperation, Operation } from '#contract/core/operation.ts'
import { useSession } from '../session/session.ts'
import { createAttemptKeys } from './attempt-keys.ts'
import { useNotices } from './notices.tsx'
import { createSendGuard } from './send-guard.ts'

export type Act<I extends z.ZodObject, O extends z.ZodType> = {
  /** The reads whose answers are different now. */
  readonly changes?: readonly Operation[]
  /** The notice about the act, in the past tense. */
  readonly done?: string | ((output: z.output<O>, input: z.input<I>) => string)
  readonly after?: (output: z.output<O>, input: z.input<I>) => void
}

/**
 * Prepares a change. Show `error` beside the control that started it: nothing else tells the person that it failed.
 * `run` does nothing while the change is on its way, so a control can be pressed at any time (`send-guard.ts`).
 */
export function useAct<I extends z.ZodObject, O extends z.ZodType>(op: JsonOperation<I, O>, act: Act<I, O>) {
  const { api } = useSession()
  const queries = useQueryClient()
  const notices = useNotices()
  const [guard] = useState(createSendGuard)
  const [keys] = useState(createAttemptKeys)
  const mutation = useMutation({
    mutationFn: async (input: z.input<I>) => {
      const answer = await api.call(op, input, op.idempotent ? { idempotencyKey: keys.keyFor(input) } : {})
      guard.answer()
      return answer
    },
    onError: keys.onError,
    onSuccess: async (output, input) => {
      keys.onSuccess()
      // The act takes its turn now: reading again takes its time, and a later act may be done before.
      const say = notices.prepare()
      await Promise.all(act.changes?.map(({ name }) => queries.invalidateQueries({ queryKey: [name] })) ?? [])
      if (act.done) say(typeof act.done === 'string' ? act.done : act.done(output, input))
      act.after?.(output, input)
    },
    onSettled: (_, __, input) => guard.end(input),
  })
  return {
    run: (input: z.input<I>) => {
      if (guard.begin(input)) mutation.mutate(input)
    },
    isRunning: mutation.isPending,
    error: mutation.error,
  }
}
