import type { z } from 'zod'
import type { PersonSettings } from '#contract/data-sources/person-settings.ts'
import type { configureSource } from '#contract/data-sources/search-config.ts'
import type { Member } from '#edge/route/route.ts'
import { inspectAll } from '../configure/check.ts'
import type { ConfigureDeps } from '../configure/configure.ts'
import { readerRole } from '../configure/grants.ts'
import { findSource } from '../configure/store.ts'
import { findSourceId } from '../store.ts'
import type { PreviewDb } from './preview-reader.ts'

export type InspectDeps = Pick<ConfigureDeps, 'db' | 'findModel' | 'modelNames' | 'personValues' | 'openDatabase'> & {
  /** Opens a managed database for reads under rights that are never committed. */
  openForPreview: (orgId: string, name: string) => Promise<PreviewDb>
}

type SentDocument = Pick<z.output<typeof configureSource.input>, 'connection_config' | 'filter_schema'>

/** Finds the source that the typed id means. */
export async function findTypedSource({ db }: Pick<InspectDeps, 'db'>, orgId: string, typed: string) {
  const id = await findSourceId(db, orgId, typed)
  return id === undefined ? undefined : findSource(db, id)
}

/** Compares a document that is not saved with the database, as a save does. */
export async function inspectDocument(
  deps: InspectDeps,
  database: string,
  { principal, document }: { principal: Member; document: SentDocument },
) {
  const { findModel, modelNames } = deps
  const { org_id } = principal
  const preview = await deps.openForPreview(org_id, database)
  const reader = await readerRole(await deps.openDatabase(org_id, database, 'reader'))
  const { embedding_configs, person_settings, ...relevance } = document.connection_config
  const sent = { entries: embedding_configs, filter_schema: document.filter_schema, person_settings, relevance }
  const personValues = (settings: PersonSettings) => deps.personValues(settings, principal)
  const inspected = await inspectAll({ owner: preview.owner, reader, findModel, modelNames, personValues }, sent)
  return { ...inspected, preview }
}
