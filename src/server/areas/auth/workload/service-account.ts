import { z } from 'zod'
import type { CallApiServer } from './api-server-call.ts'
import type { ReviewedAccount } from './token-review.ts'

export type Workload = { username: string; orgId: string; deployment: string }

const ServiceAccount = z.object({
  metadata: z.object({
    uid: z.string(),
    annotations: z.object({ 'svc/org-id': z.string().min(1), 'svc/deployment': z.string().min(1) }),
  }),
})

/**
 * Returns undefined if the service account is gone, was replaced, or lacks the annotations svc/org-id and
 * svc/deployment.
 */
export async function findWorkload(
  callApiServer: CallApiServer,
  account: ReviewedAccount,
  signal: AbortSignal,
): Promise<Workload | undefined> {
  const [namespace, name] = [encodeURIComponent(account.namespace), encodeURIComponent(account.name)]
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}`
  return readServiceAccount(await callApiServer({ method: 'GET', path, refusal: 404 }, signal), account)
}

/** Compares the uid, because a later account of the same name may belong to another organization. */
function readServiceAccount(body: unknown, { username, uid }: ReviewedAccount): Workload | undefined {
  const { data } = ServiceAccount.safeParse(body)
  if (data?.metadata.uid !== uid) return undefined
  const { 'svc/org-id': orgId, 'svc/deployment': deployment } = data.metadata.annotations
  return { username, orgId, deployment }
}
