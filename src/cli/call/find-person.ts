import { listMembers } from '#contract/auth/members.ts'
import type { Client } from '#contract/core/client.ts'
import { ServiceError } from '#contract/core/errors.ts'
import { collect } from './client.ts'
import { ownOrg } from './own-org.ts'

const MAX_MEMBERS = 10_000

/** Returns the user id of a person given by id or email address. Only owners and admins can look an address up. */
export async function findPerson(client: Client, person: string): Promise<string> {
  if (!person.includes('@')) return person
  const org = await ownOrg(client)
  const { items } = await collect(client, listMembers, { org_id: org.id }, MAX_MEMBERS).catch(explain)
  const email = person.toLowerCase()
  const found = items.find((member) => member.email.toLowerCase() === email)
  if (!found) throw new ServiceError('NOT_FOUND', `No member of ${org.name} has the address ${person}.`)
  return found.user_id
}

function explain(error: unknown): never {
  if (!(error instanceof ServiceError) || error.code !== 'FORBIDDEN') throw error
  const detail = 'Only owners and admins can look people up by email address. Give the user id instead.'
  throw new ServiceError('FORBIDDEN', detail, { cause: error })
}
