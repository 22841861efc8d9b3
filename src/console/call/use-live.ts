import { useEffect, useState } from 'react'
import type { z } from 'zod'
import { streamWith } from '#contract/core/client-stream.ts'
import type { StreamOperation } from '#contract/core/operation.ts'
import { useSession } from '../session/session.ts'

type Live<E> = { readonly events: readonly E[]; readonly error: unknown; readonly isOpen: boolean }

/** Most events that are kept: the page shows the newest, and a long stream must not fill the memory. */
const KEPT = 2_000

/** Follows a stream while the component is shown. The client reconnects by itself where the operation is resumable. */
export function useLive<I extends z.ZodObject, E extends z.ZodType>(
  op: StreamOperation<I, E>,
  input: z.input<I>,
): Live<z.output<E>> {
  const { api } = useSession()
  const [live, setLive] = useState<Live<z.output<E>>>({ events: [], error: undefined, isOpen: true })
  const key = JSON.stringify(input)
  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` stands for the input
  useEffect(() => {
    const abort = new AbortController()
    setLive({ events: [], error: undefined, isOpen: true })
    const follow = async () => {
      for await (const event of streamWith(api.sender)(op, input, { signal: abort.signal })) {
        setLive(({ events, ...rest }) => ({ ...rest, events: [...events, event].slice(-KEPT) }))
      }
    }
    follow().then(
      () => setLive((before) => ({ ...before, isOpen: false })),
      (error: unknown) => abort.signal.aborted || setLive((before) => ({ ...before, error, isOpen: false })),
    )
    return () => abort.abort()
  }, [api, op, key])
  return live
}
