import { z } from 'zod'
import { jsonOrUndefined } from '#lib/json-or-undefined.ts'

/** A refusal of the API server. The message is the server's own sentence. */
export class KubernetesError extends Error {
  override readonly name = 'KubernetesError'
  readonly status: number
  readonly reason: string | undefined
  /** The fields that other managers own, for a conflict of a server-side apply. */
  readonly conflicts: readonly FieldConflict[]
  constructor(status: number, message: string, reason?: string, conflicts: readonly FieldConflict[] = []) {
    super(message)
    this.status = status
    this.reason = reason
    this.conflicts = conflicts
  }
}

type FieldConflict = { readonly field: string; readonly message: string }

const Cause = z.object({ reason: z.string().optional(), message: z.string().optional(), field: z.string().optional() })
const Status = z.object({
  message: z.string().optional(),
  reason: z.string().optional(),
  code: z.number().optional(),
  details: z.object({ causes: z.array(Cause).optional() }).nullish(),
})

const MAX_MESSAGE_LENGTH = 1_000

/** Reads the body of a refusal, which is a Status except where something in front of the API server answered. */
export async function readFailure(response: Response): Promise<KubernetesError> {
  return toError(jsonOrUndefined(await response.text()), response.status)
}

/** Reads a Status, such as the one in an event `ERROR` of a watch. */
export function toError(body: unknown, status = 500): KubernetesError {
  const { data } = Status.safeParse(body)
  const causes = data?.details?.causes ?? []
  const conflicts = causes
    .filter(({ reason }) => reason === 'FieldManagerConflict')
    .map(({ field = '', message = '' }) => ({ field, message }))
  const message = (data?.message ?? `the API server answered ${status}`).slice(0, MAX_MESSAGE_LENGTH)
  return new KubernetesError(data?.code ?? status, message, data?.reason, conflicts)
}

/** Whether the same request may succeed later without anybody changing something. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof KubernetesError)) return true
  // 401: the token was just replaced. 409 without fields: another writer changed the object at the same moment.
  if (error.status === 409) return error.conflicts.length === 0
  return error.status === 401 || error.status === 429 || error.status >= 500
}
