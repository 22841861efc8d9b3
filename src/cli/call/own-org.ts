import type { z } from 'zod'
import { me } from '#contract/auth/members.ts'
import type { Client } from '#contract/core/client.ts'
import { ServiceError } from '#contract/core/errors.ts'

type Org = NonNullable<z.infer<(typeof me)['output']>['org']>

/** Returns the organization of the login. Throws FORBIDDEN if the person has none yet. */
export async function ownOrg(client: Client): Promise<Org> {
  const { org } = await client.call(me, {})
  if (org === null) throw new ServiceError('FORBIDDEN', 'You do not belong to an organization.')
  return org
}

/** Returns the id of `ownOrg` in the shape that the inputs of operations of an organization have. */
export async function ownOrgInput(client: Client): Promise<{ org_id: string }> {
  return { org_id: (await ownOrg(client)).id }
}
