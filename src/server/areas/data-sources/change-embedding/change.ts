import type { z } from 'zod'
import { changeEmbedding, type EmbeddingChange } from '#contract/data-sources/embedding-change.ts'
import { type Member, type Route, route } from '#edge/route/route.ts'
import type { LeaseGuard } from '#lib/work/lease.ts'
import { type ConfigureDeps, save, whileConfiguring } from '../configure/configure.ts'
import { noSuchSource } from '../configure/no-such-source.ts'
import { findConfigured } from '../configure/store.ts'
import { entriesOf } from '../search/entry.ts'
import { findSourceId } from '../store.ts'
import { changedEntries } from './changed-entries.ts'

/**
 * A save that changes nothing but model and vector column. One row has all entries of a source, so all of them change at
 * the same moment, and its new version makes questions that are on their way be asked again.
 */
export function changeEmbeddingRoute(deps: ConfigureDeps): Route {
  return route(changeEmbedding, async ({ id: typed, ...embedding }, { principal, signal }) => {
    const id = await findSourceId(deps.db, principal.org_id, typed)
    if (id === undefined) throw noSuchSource()
    return whileConfiguring(deps.db, id, (lease) => change(deps, { id, principal, signal, embedding }, lease))
  })
}

type Changing = { id: string; principal: Member; signal: AbortSignal; embedding: EmbeddingChange }

async function change(
  deps: ConfigureDeps,
  { id, principal, signal, embedding }: Changing,
  lease: LeaseGuard,
): Promise<z.output<typeof changeEmbedding.output>> {
  const stored = await findConfigured(deps.db, id)
  if (!stored) throw noSuchSource()
  const { search, filter_schema, warnings } = stored
  const connection_config = stored.connection_config ?? { embedding_configs: [] }
  const { entries, labels } = changedEntries(connection_config.embedding_configs, entriesOf(search), embedding)
  if (labels.length === 0) return { changed: [], connection_config, filter_schema, warnings, model_checks: [] }
  const input = {
    connection_config: { ...connection_config, embedding_configs: entries },
    filter_schema,
    send_sample_to_provider: false,
  }
  const act = { action: 'data_source.embedding_changed', detail: { ...embedding, labels } }
  const saved = await save(deps, { id, principal, input, signal, act }, lease)
  return { ...saved, changed: [...labels] }
}
