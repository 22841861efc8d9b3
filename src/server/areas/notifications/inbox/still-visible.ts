import { ServiceError } from '#contract/core/errors.ts'
import type { AppDirectory } from '#ports/apps.ts'
import type { People } from '#ports/people.ts'
import { maySeeApp } from '../people/may-see-app.ts'
import type { EntryFacts, InboxOwner } from './store.ts'

type Deps = { people: Pick<People, 'member' | 'partHolders'>; apps: Pick<AppDirectory, 'find'> }

/**
 * Returns the entries that their owner may still see: those about no app, replies to own tickets, and those about an
 * app in which the owner has a part now. Throws UNAVAILABLE if parts cannot be looked up, because nothing is shown unchecked.
 */
export async function stillVisible<Row extends EntryFacts>(
  deps: Deps,
  owner: InboxOwner,
  rows: readonly Row[],
): Promise<Row[]> {
  const checks = new Map<string, Promise<boolean>>()
  const isVisible = async (row: Row): Promise<boolean> => {
    if (row.app === null || row.is_reply_to_own_ticket) return true
    const check = checks.get(row.app_id ?? row.app) ?? hasPart(deps, owner, row.app_id, row.app)
    checks.set(row.app_id ?? row.app, check)
    return check
  }
  const visible = await Promise.all(rows.map(isVisible))
  return rows.filter((_, at) => visible[at])
}

/** The event that has the id of the app may be deleted already; then the app is looked up by its alias. */
async function hasPart(
  { people, apps }: Deps,
  { org_id, user_id }: InboxOwner,
  appId: string | null,
  alias: string,
): Promise<boolean> {
  const id = appId ?? (await apps.find(org_id, alias))?.id ?? alias
  const answer = await maySeeApp(people, { orgId: org_id, appId: id, userId: user_id })
  if (answer.isKnown) return answer.value
  throw new ServiceError('UNAVAILABLE', 'The parts of people in apps cannot be looked up now. Try again.', {
    retryAfterSeconds: 5,
  })
}
