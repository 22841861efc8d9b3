import { listMembers, me } from '#contract/auth/members.ts'
import type { Client } from '#contract/core/client.ts'
import { collect } from '../../call/client.ts'

const MAX_MEMBERS = 1_000

/** Email addresses by user id: of all members for owners and admins, who see the calls of all, else only the own one. */
export async function readEmails(client: Client): Promise<ReadonlyMap<string, string>> {
  const { user, org, role } = await client.call(me, {})
  if (org !== null && (role === 'owner' || role === 'admin')) {
    const { items } = await collect(client, listMembers, { org_id: org.id }, MAX_MEMBERS)
    return new Map(items.map(({ user_id, email }) => [user_id, email]))
  }
  return new Map(user ? [[user.id, user.email]] : [])
}
