import { z } from 'zod'
import { BODY_LIMIT, NO_BODY } from '../core/limits.ts'
import { operation } from '../core/operation.ts'
import { DataSource, FilterType } from './sources.ts'

export const DISTANCE_METRICS = ['cosine', 'l2', 'inner_product'] as const
const EMBEDDING_CONFIGS_MAX = 50
/** What pgvector can hold in one vector. */
export const DIMENSIONS_MAX = 16_000

const name = z.string().max(300)

/**
 * Only the shape is held to here. What a value may be is checked together with the database, so that one answer
 * names every problem there is.
 */
const EmbeddingConfigInput = z.strictObject({
  label: name.describe('What an agent passes as target to search only this entry'),
  table: name.describe('`name` or `schema.name`, as the catalogue has it; quote a part that has a dot in it'),
  columns: z.array(name).max(20).default(['embedding']).describe('The vector column: exactly one'),
  model: name.describe('The embedding model that filled the column'),
  dimensions: z.number().meta({ type: 'integer', minimum: 1, maximum: DIMENSIONS_MAX }),
  content_columns: z
    .string()
    .max(20_000)
    .describe('Names with commas between: the first is the id of a hit, the second its title. No other is returned'),
  distance_metric: z
    .string()
    .meta({ enum: [...DISTANCE_METRICS] })
    .default('cosine'),
})
export type EmbeddingConfigInput = z.output<typeof EmbeddingConfigInput>

const EmbeddingConfig = z.object({
  ...EmbeddingConfigInput.shape,
  columns: z.array(z.string()),
  distance_metric: z.enum(DISTANCE_METRICS),
})

export const SearchConfiguration = z.object({
  connection_config: z.object({ embedding_configs: z.array(EmbeddingConfig) }),
  filter_schema: z.record(z.string(), FilterType),
  warnings: z.array(z.string()).describe('What was saved all the same: searched slowly, or not as one may expect'),
})
export type SearchConfiguration = z.infer<typeof SearchConfiguration>

export const configureSource = operation({
  kind: 'json',
  name: 'data-sources.configure',
  method: 'PUT',
  path: '/api/wf/data-sources/{id}',
  summary: 'Save what can be searched in a data source, and what a hit shows',
  description:
    'Replaces all that was saved before: a key not sent is gone, an empty `embedding_configs` leaves nothing to search. ' +
    'Checked against the database first; what does not fit is listed in one answer, and nothing is saved.',
  access: { principals: ['user', 'api_token'], role: 'developer', scope: null, org: 'token' },
  effect: 'write',
  bodyLimit: BODY_LIMIT,
  errors: ['INVALID_SEARCH_CONFIGURATION', 'CONFLICT', 'UNAVAILABLE'],
  input: z.object({
    id: z.string(),
    connection_config: z.strictObject({
      embedding_configs: z.array(EmbeddingConfigInput).max(EMBEDDING_CONFIGS_MAX),
    }),
    filter_schema: z
      .record(name, z.string().meta({ enum: FilterType.options }))
      .default({})
      .describe('Columns a question may be filtered on, with the type of their values'),
  }),
  output: SearchConfiguration,
})

export const SourcePlan = z.object({
  label: z.string().describe('Of the entry in `embedding_configs`'),
  method: z.enum(['exact', 'hnsw', 'ivfflat']),
  index: z.string().nullable().describe('The name of the index; null for an exact search'),
  reason: z.string().describe('Why this one, in words'),
})
export type SourcePlan = z.infer<typeof SourcePlan>

export const getSource = operation({
  kind: 'json',
  name: 'data-sources.get',
  method: 'GET',
  path: '/api/wf/data-sources/{id}',
  summary: 'One data source: what is stored of it, and how it is searched',
  description:
    '`connection_config` and `filter_schema` can be sent back unchanged to save them again. ' +
    '`plan` says for each entry whether an index is used and why; a new index is in use within a minute.',
  access: { principals: ['user', 'api_token'], role: 'developer', scope: null, org: 'token' },
  effect: 'read',
  bodyLimit: NO_BODY,
  errors: ['UNAVAILABLE'],
  input: z.object({ id: z.string() }),
  output: z.object({ ...DataSource.shape, ...SearchConfiguration.shape, plan: z.array(SourcePlan) }),
})
