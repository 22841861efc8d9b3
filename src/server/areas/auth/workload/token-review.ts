import { z } from 'zod'
import type { Ask } from './ask.ts'

export type ReviewedAccount = { username: string; namespace: string; name: string; uid: string }

/** What is not true or not there is left out by the API server. */
const TokenReview = z.object({
  status: z.object({
    authenticated: z.boolean().optional(),
    audiences: z.array(z.string()).nullish(),
    user: z.object({ username: z.string().optional(), uid: z.string().optional() }).optional(),
  }),
})

const USERNAME = /^system:serviceaccount:([a-z0-9][a-z0-9-]*):([a-z0-9][a-z0-9.-]*)$/

export async function reviewToken(
  ask: Ask,
  { token, audience }: { token: string; audience: string },
  signal: AbortSignal,
): Promise<ReviewedAccount | undefined> {
  const body = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenReview',
    spec: { token, audiences: [audience] },
  }
  const path = '/apis/authentication.k8s.io/v1/tokenreviews'
  return readReview(await ask({ method: 'POST', path, body, refusal: 400 }, signal), audience)
}

/**
 * Only a service account's token made for us. An authenticator that knows no audiences answers without them: its yes
 * is about a token for the API server, which every pod has.
 */
export function readReview(answer: unknown, audience: string): ReviewedAccount | undefined {
  const { data } = TokenReview.safeParse(answer)
  if (data?.status.authenticated !== true || !data.status.audiences?.includes(audience)) return undefined
  const { username = '', uid } = data.status.user ?? {}
  const [, namespace, name] = USERNAME.exec(username) ?? []
  return namespace && name && uid ? { username, namespace, name, uid } : undefined
}
