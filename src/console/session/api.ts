import { type Call, callWith, createSender, type FetchLike, type Sender } from '#contract/core/client-send.ts'
import { ServiceError } from '#contract/core/errors.ts'
import { health } from '#contract/system.ts'

type Watch = {
  /** The session that the page shows. The server refuses requests of another one, see `SESSION_CHANGED`. */
  readonly session?: string
  readonly onSignedOut?: () => void
  readonly onSessionChanged?: () => void
  /** Gets whether a request was answered, with whatever status. */
  readonly onReach?: (isAnswered: boolean) => void
}

/** Calls operations. Pages that follow streams make theirs of `sender`, so that the others do not load how. */
export type Api = { readonly call: Call; readonly sender: Sender }

/** Opens the typed client for the origin of the page. This is the only file of the console that calls `fetch`. */
export function connect({ session, onSignedOut, onSessionChanged, onReach }: Watch = {}): Api {
  const sender = createSender({
    baseUrl: location.origin,
    trustsAnswers: true,
    headers: () => ({ 'x-svc-client': 'console', ...(session !== undefined && { 'x-svc-session': session }) }),
    fetch: async (request) => {
      const response = await send(request).catch((error: unknown) => {
        if (error instanceof ServiceError) onReach?.(false)
        throw error
      })
      onReach?.(true)
      if (response.status === 401) onSignedOut?.()
      if (response.status === 409 && (await isSessionChanged(response))) onSessionChanged?.()
      return response
    },
  })
  return { call: callWith(sender), sender }
}

/** Posts a form to one of the sign-in operations, which set the cookie of the session. */
export async function postForm(path: string, fields: Record<string, string>): Promise<Response> {
  const headers = { accept: 'application/json' }
  return send(new Request(path, { method: 'POST', headers, body: new URLSearchParams(fields), redirect: 'manual' }))
}

/** Longer than any answer of a service that is well, and short enough to wait for after a click. */
const PROBE_MS = 5_000

/** Whether the service answers. What a proxy answers in its place does not count. */
export async function probe(): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(PROBE_MS)
    const { status } = await fetch(health.path, { cache: 'no-store', redirect: 'manual', signal })
    return status < 500
  } catch {
    return false
  }
}

const send: FetchLike = async (request) => {
  try {
    return await fetch(request)
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause
    throw new ServiceError('UNAVAILABLE', 'Cannot reach the service. Check that it is running.', { cause })
  }
}

async function isSessionChanged(response: Response): Promise<boolean> {
  const problem: unknown = await response
    .clone()
    .json()
    .catch(() => undefined)
  return typeof problem === 'object' && problem !== null && 'code' in problem && problem.code === 'SESSION_CHANGED'
}
