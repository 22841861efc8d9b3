import type { Database } from '#contract/databases.ts'
import type { DatabaseRow } from '../model/store.ts'
import type { SourceState } from '../servers/deps.ts'

export function present({ name, state, created_at }: DatabaseRow, source: SourceState | undefined): Database {
  return { name, state, created_at: created_at.toISOString(), data_source: source ?? null }
}
