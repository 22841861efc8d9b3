import type { DataSource } from '#contract/data-sources/sources.ts'
import type { SourceRow } from '../store.ts'

export function presentSource({ database_name, created_at, updated_at, ...rest }: SourceRow): DataSource {
  return {
    ...rest,
    source_id: `db_${database_name}`,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  }
}
