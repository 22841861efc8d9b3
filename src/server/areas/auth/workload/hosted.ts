import { createWorkloadReader, type HostedWorkload } from '#edge/credentials/workload-token.ts'
import type { Querier } from '#lib/db/db.ts'
import type { Clock } from '#lib/time/clock.ts'
import { findOrg } from '../store/orgs.ts'
import type { ValidateHosted } from '../validate.ts'

export type HostedWorkloadOptions = {
  readonly audience: string
  readonly internalSecret: string
  /** Whether an instance of this deploy may run now. */
  readonly isServing: (workload: HostedWorkload) => Promise<boolean>
}

/**
 * Checks the token of an app that svc runs as a process. The signature is checked without asking anybody; whether the
 * deploy still serves is read at each check, so that the token of a deleted app ends with it.
 */
export function createHostedValidator(
  { db, clock }: { db: Querier; clock: Clock },
  { isServing, ...options }: HostedWorkloadOptions,
): ValidateHosted {
  const read = createWorkloadReader({ ...options, clock })
  return async (token) => {
    const workload = read(token)
    if (!workload || !(await isServing(workload)) || !(await findOrg(db, workload.orgId))) return undefined
    return {
      kind: 'workload',
      id: workload.deployId,
      user_id: null,
      org_id: workload.orgId,
      role: null,
      scopes: [],
      deployment: workload.appId,
      expires_at: workload.expiresAt.toISOString(),
    }
  }
}
