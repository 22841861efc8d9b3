import { ServiceError } from '#contract/core/errors.ts'
import { newId } from '#edge/ids.ts'
import type { Tx } from '#lib/db/db.ts'
import { countSlugs, insertOrg, type OrgRow } from '../store/orgs.ts'
import { numberedSlug, slugOf } from './slug.ts'

const MAX_SLUG_ATTEMPTS = 20

/** Inserts an organization with the first free slug made from its name. */
export async function makeOrg(tx: Tx, name: string, now: Date, id = newId('org')): Promise<OrgRow> {
  const slug = slugOf(name)
  const sameSlugCount = await countSlugs(tx, slug)
  for (let n = sameSlugCount + 1; n <= sameSlugCount + MAX_SLUG_ATTEMPTS; n++) {
    const org = await insertOrg(tx, { id, name, slug: numberedSlug(slug, n), created_at: now })
    if (org) return org
  }
  throw new ServiceError(
    'CONFLICT',
    'Too many organizations with this name are being created at the same time. Try again.',
  )
}

export function presentOrg(org: OrgRow, domains: readonly string[]) {
  return { ...org, domains: [...domains], created_at: org.created_at.toISOString() }
}
