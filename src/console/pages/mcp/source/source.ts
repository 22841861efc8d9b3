import { createContext, useContext } from 'react'
import type { SearchConfiguration } from '#contract/data-sources/search-config.ts'
import type { DataSource, FilterType, MinRole, SlimSource } from '#contract/data-sources/sources.ts'

/** A data source as the pages show it. People below developer know only the sources that they may ask. */
export type Source = {
  /** `db_<database name>`, which addresses, commands and agents use. */
  readonly id: string
  readonly database: string
  readonly name: string
  readonly description: string
  readonly isEnabled: boolean
  readonly isExposed: boolean
  readonly minRole: MinRole | null
  readonly filters: Readonly<Record<string, FilterType>>
  /** Labels of the saved entries. Undefined if the role may not read the configuration. */
  readonly labels: readonly string[] | undefined
}

export function fromManaged(source: DataSource): Source {
  return {
    id: source.source_id,
    database: databaseOf(source.source_id),
    name: source.name,
    description: source.description,
    isEnabled: source.enabled,
    isExposed: source.exposed,
    minRole: source.min_role,
    filters: source.filter_schema,
    labels: labelsOf(source.connection_config),
  }
}

export function fromSlim({ min_role, ...rest }: SlimSource): Source {
  return {
    ...rest,
    database: databaseOf(rest.id),
    minRole: min_role,
    isEnabled: true,
    isExposed: true,
    labels: undefined,
  }
}

function databaseOf(sourceId: string): string {
  return sourceId.replace(/^db_/, '')
}

function labelsOf(config: DataSource['connection_config']): string[] {
  const { embedding_configs } = (config ?? {}) as Partial<SearchConfiguration['connection_config']>
  return embedding_configs?.map(({ label }) => label) ?? []
}

export const SourceContext = createContext<Source | undefined>(undefined)

/** Returns the source of the page around this tab. */
export function useSource(): Source {
  const source = useContext(SourceContext)
  if (!source) throw new Error('useSource needs a SourcePage above it')
  return source
}
