import type { z } from 'zod'
import { ServiceError } from '#contract/core/errors.ts'
import { secondsText } from '#contract/core/seconds-text.ts'
import type { PersonSettings } from '#contract/data-sources/person-settings.ts'
import { configureSource, type ModelCheck, SearchConfiguration } from '#contract/data-sources/search-config.ts'
import { type Member, type Route, route } from '#edge/route/route.ts'
import type { Db } from '#lib/db/db.ts'
import type { Clock } from '#lib/time/clock.ts'
import { type LeaseGuard, withLease } from '#lib/work/lease.ts'
import { auditBy } from '#ports/audit.ts'
import { entriesOf } from '../search/entry.ts'
import type { FindPersonValues } from '../search/person.ts'
import { findSourceId } from '../store.ts'
import type { ManagedDb } from './catalogue.ts'
import { checkAll } from './check.ts'
import type { EmbeddingModels } from './check-entry.ts'
import { type ContentModels, checkWarning, compareModels } from './compare-model.ts'
import { readerRole, setGrants } from './grants.ts'
import { noSuchSource } from './no-such-source.ts'
import { grantAndRehearse } from './rehearse.ts'
import { findSource, saveSearch } from './store.ts'

export type ConfigureDeps = EmbeddingModels &
  ContentModels & {
    personValues: FindPersonValues
    db: Db
    clock: Clock
    /** Opens a managed database of the organization. */
    openDatabase: (orgId: string, name: string, as: 'owner' | 'reader') => Promise<ManagedDb>
  }

type Input = Omit<z.output<typeof configureSource.input>, 'id'>
type Answer = SearchConfiguration & { model_checks: ModelCheck[] }

export function configureRoute(deps: ConfigureDeps): Route {
  return route(configureSource, async ({ id: typed, ...input }, { principal, signal }) => {
    const id = await findSourceId(deps.db, principal.org_id, typed)
    if (id === undefined) throw noSuchSource()
    // Two saves at once could leave the rights of the one and the configuration of the other.
    return whileConfiguring(deps.db, id, (lease) => save(deps, { id, principal, input, signal }, lease))
  })
}

/** Runs work that grants or revokes rights of the reader, or saves the configuration that they belong to. */
export function whileConfiguring<T>(db: Db, id: string, run: (lease: LeaseGuard) => Promise<T>): Promise<T> {
  return withLease(db, { name: `data-source:${id}`, refuse: beingSaved, run })
}

export const PERSON_REMOVED =
  'person_settings was removed: questions are no longer asked as a person, so everyone who may ask finds the same rows. Save it with person_settings again to undo this'

type Saving = {
  id: string
  principal: Member
  input: Input
  signal: AbortSignal
  /** The audit entry of a save that is part of another act. */
  act?: { action: string; detail: Record<string, unknown> }
}

/** Call it in `whileConfiguring` only. */
export async function save(
  deps: ConfigureDeps,
  { id, principal, input, signal, act }: Saving,
  lease: LeaseGuard,
): Promise<Answer> {
  const { db, clock, openDatabase, findModel, modelNames } = deps
  const { org_id } = principal
  const source = await findSource(db, id)
  if (!source) throw noSuchSource()
  const owner = await openDatabase(org_id, source.database_name, 'owner')
  const reader = await openDatabase(org_id, source.database_name, 'reader')
  const readerName = await readerRole(reader)
  const { embedding_configs, person_settings, ...relevance } = input.connection_config
  const sent = { entries: embedding_configs, filter_schema: input.filter_schema, person_settings, relevance }
  const personValues = (settings: PersonSettings) => deps.personValues(settings, principal)
  const checked = await checkAll({ owner, reader: readerName, findModel, modelNames, personValues }, sent)
  const { person } = checked

  // Rights are granted before the save and revoked after it: a crash between leaves rights that the next save revokes.
  await lease.confirm()
  const roles = { owner, reader, readerName, person }
  const rehearsed = await grantAndRehearse(roles, checked.entries, entriesOf(source.search))
  const { entries } = rehearsed
  const mayLeave = input.send_sample_to_provider
  const checks = await compareModels({ ...deps, reader, org_id, person, mayLeave, signal }, entries)
  const modelWarnings = checks.flatMap((check) => checkWarning(check) ?? [])
  const isPersonRemoved = source.has_person_settings && person_settings === undefined
  const warnings = [...(isPersonRemoved ? [PERSON_REMOVED] : []), ...checked.warnings, ...rehearsed.warnings]
  const saved = SearchConfiguration.parse({ ...input, warnings: [...warnings, ...modelWarnings] })
  const now = clock.now()
  await db.tx(async (tx) => {
    await lease.confirmIn(tx)
    const search = entries.length === 0 ? null : entries
    if (!(await saveSearch(tx, { ...saved, id, search, now }))) throw noSuchSource()
    const detail = { labels: entries.map(({ label }) => label), ...(person_settings && { person_settings }) }
    const entry = act ?? { action: 'data_source.configured', detail }
    await auditBy(tx, principal, { ...entry, target: id, at: now })
    if (isPersonRemoved)
      await auditBy(tx, principal, { action: 'data_source.person_settings_removed', target: id, at: now })
  })
  await lease.confirm()
  await setGrants(owner, readerName, entries)
  const model_checks = checks.map(({ entry, outcome, detail }) => ({ label: entry.label, outcome, detail }))
  return { ...saved, warnings: [...saved.warnings, ...checked.indexWarnings], model_checks }
}

function beingSaved(retryAfterSeconds: number): ServiceError {
  const detail = `Another request is configuring this data source. Try again in ${secondsText(retryAfterSeconds)}.`
  return new ServiceError('CONFLICT', detail, { retryAfterSeconds })
}
