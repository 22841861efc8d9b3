import { z } from 'zod'
import type { CallApiServer } from './api-server-call.ts'

export type ReviewedAccount = { username: string; namespace: string; name: string; uid: string }

/** The API server omits fields that are false or empty, so all fields of the status are optional. */
const TokenReview = z.object({
  status: z.object({
    authenticated: z.boolean().optional(),
    audiences: z.array(z.string()).nullish(),
    user: z.object({ username: z.string().optional(), uid: z.string().optional() }).optional(),
  }),
})

const USERNAME = /^system:serviceaccount:([a-z0-9][a-z0-9-]*):([a-z0-9][a-z0-9.-]*)$/

/** Asks the API server whose token it is. Returns undefined if the token is refused or is not for `audience`. */
export async function reviewToken(
  callApiServer: CallApiServer,
  { token, audience }: { token: string; audience: string },
  signal: AbortSignal,
): Promise<ReviewedAccount | undefined> {
  const body = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenReview',
    spec: { token, audiences: [audience] },
  }
  const path = '/apis/authentication.k8s.io/v1/tokenreviews'
  return readReview(await callApiServer({ method: 'POST', path, body, refusal: 400 }, signal), audience)
}

/**
 * Accepts only a service account's token that was issued for `audience`. An authenticator without audience support
 * answers without audiences: it then speaks of a token for the API server, which every pod has.
 */
function readReview(body: unknown, audience: string): ReviewedAccount | undefined {
  const { data } = TokenReview.safeParse(body)
  if (data?.status.authenticated !== true || !data.status.audiences?.includes(audience)) return undefined
  const { username = '', uid } = data.status.user ?? {}
  const [, namespace, name] = USERNAME.exec(username) ?? []
  return namespace && name && uid ? { username, namespace, name, uid } : undefined
}
