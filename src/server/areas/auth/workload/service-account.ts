import { z } from 'zod'
import type { Ask } from './ask.ts'
import type { ReviewedAccount } from './token-review.ts'

export type Workload = { username: string; orgId: string; deployment: string }

const ServiceAccount = z.object({
  metadata: z.object({
    uid: z.string(),
    annotations: z.object({ 'svc/org-id': z.string().min(1), 'svc/deployment': z.string().min(1) }),
  }),
})

export async function findWorkload(
  ask: Ask,
  account: ReviewedAccount,
  signal: AbortSignal,
): Promise<Workload | undefined> {
  const [namespace, name] = [encodeURIComponent(account.namespace), encodeURIComponent(account.name)]
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}`
  return readServiceAccount(await ask({ method: 'GET', path, refusal: 404 }, signal), account)
}

/** The uid tells the account from a later one of the same name, which may belong to somebody else. */
export function readServiceAccount(answer: unknown, { username, uid }: ReviewedAccount): Workload | undefined {
  const { data } = ServiceAccount.safeParse(answer)
  if (data?.metadata.uid !== uid) return undefined
  const { 'svc/org-id': orgId, 'svc/deployment': deployment } = data.metadata.annotations
  return { username, orgId, deployment }
}
