import { me, nameMembers } from '#contract/auth/members.ts'
import type { Client } from '#contract/core/client.ts'
import { ServiceError } from '#contract/core/errors.ts'

const USER_ID = /^usr_[0-9a-z]{26}$/

/**
 * Returns a function that names the people of these ids, for text that people read. A person who is no member, and
 * everybody if names cannot be read, keeps the id.
 */
export async function namePeople(client: Client, ids: readonly (string | null)[]): Promise<(id: string) => string> {
  const userIds = [...new Set(ids.filter((id) => id !== null && USER_ID.test(id)))]
  if (userIds.length === 0) return (id) => id
  const names = await readNames(client, userIds.join(',')).catch((error: unknown) => {
    if (error instanceof ServiceError) return new Map<string, string>()
    throw error
  })
  return (id) => names.get(id) ?? id
}

async function readNames(client: Client, user_ids: string): Promise<Map<string, string>> {
  const { user, org } = await client.call(me, {})
  if (!org) return new Map()
  const { items } = await client.call(nameMembers, { org_id: org.id, user_ids })
  const names = items.map(({ user_id, name }) => [user_id, user_id === user?.id ? `${name} (you)` : name] as const)
  return new Map(names)
}
