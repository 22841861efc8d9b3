import type { EmbeddingChange } from '#contract/data-sources/embedding-change.ts'
import type { PersonSettings } from '#contract/data-sources/person-settings.ts'
import type { Member } from '#edge/route/route.ts'
import type { LeaseGuard } from '#lib/work/lease.ts'
import type { AskableSource } from '../ask/store.ts'
import { checkAll } from '../configure/check.ts'
import { type ConfigureDeps, whileConfiguring } from '../configure/configure.ts'
import { readerRole } from '../configure/grants.ts'
import { noSuchSource } from '../configure/no-such-source.ts'
import { grantAndRehearse } from '../configure/rehearse.ts'
import { findConfigured } from '../configure/store.ts'
import { entriesOf, type ResolvedEntry } from '../search/entry.ts'
import { changedEntries } from './changed-entries.ts'

type Resolving = {
  readonly source: Pick<AskableSource, 'id' | 'org_id' | 'database_name'>
  readonly principal: Member
  readonly embedding: EmbeddingChange
}

/**
 * Returns the entries that the change would store, after the checks of a save, and stores nothing. The reader may read
 * their columns afterwards. No save runs meanwhile: it could take back rights that are then given again.
 */
export function resolveChange(deps: ConfigureDeps, resolving: Resolving): Promise<readonly ResolvedEntry[]> {
  return whileConfiguring(deps.db, resolving.source.id, (lease) => resolve(deps, resolving, lease))
}

async function resolve(
  deps: ConfigureDeps,
  { source, principal, embedding }: Resolving,
  lease: LeaseGuard,
): Promise<readonly ResolvedEntry[]> {
  const stored = await findConfigured(deps.db, source.id)
  if (!stored?.connection_config) throw noSuchSource()
  const before = entriesOf(stored.search)
  const { embedding_configs, person_settings, ...relevance } = stored.connection_config
  const { entries } = changedEntries(embedding_configs, before, embedding)
  const owner = await deps.openDatabase(source.org_id, source.database_name, 'owner')
  const reader = await deps.openDatabase(source.org_id, source.database_name, 'reader')
  const readerName = await readerRole(reader)
  const { findModel, modelNames } = deps
  const personValues = (settings: PersonSettings) => deps.personValues(settings, principal)
  const sent = { entries, filter_schema: stored.filter_schema, person_settings, relevance }
  const checked = await checkAll({ owner, reader: readerName, findModel, modelNames, personValues }, sent)
  await lease.confirm()
  const roles = { owner, reader, readerName, person: checked.person }
  return (await grantAndRehearse(roles, checked.entries, before)).entries
}
