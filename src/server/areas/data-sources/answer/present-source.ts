import type { DataSource } from '#contract/data-sources/sources.ts'
import { sourceIdOf } from '../search/source-id.ts'
import type { SourceRow } from '../store.ts'

export function presentSource({ database_name, created_at, updated_at, ...rest }: SourceRow): DataSource {
  return {
    ...rest,
    source_id: sourceIdOf(database_name),
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  }
}
