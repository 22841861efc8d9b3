import { z } from 'zod'
import { boundedMap } from '../core/bounded-map.ts'
import { IdInput } from '../core/inputs.ts'
import { jsonGet, jsonPut } from '../core/methods.ts'
import { operation } from '../core/operation.ts'
import { MAX_PERSON_SETTINGS, PersonClaim, PersonSettings } from './person-settings.ts'
import { DEFAULT_ERROR_RATE, ERROR_RATES, MIN_RELEVANCES, UNKNOWN_RELEVANCE_REASONS } from './relevance.ts'
import { DataSource, FilterType } from './sources.ts'
import { SourceVectors } from './vectors.ts'

export const DISTANCE_METRICS = ['cosine', 'l2', 'inner_product'] as const
const MAX_EMBEDDING_CONFIGS = 50
const MAX_FILTER_COLUMNS = 1_600
/** Largest vector that pgvector can store. */
export const MAX_DIMENSIONS = 16_000

const name = z.string().max(300)

/** Checks only the shape. Values are checked together with the database, so that one answer lists every problem. */
const EmbeddingConfigInput = z.strictObject({
  label: name.describe('Name that a question passes as `target` to search only this entry'),
  table: name.describe('`name` or `schema.name`, in the exact case; quote a part that contains a dot'),
  columns: z.array(name).max(20).default(['embedding']).describe('Exactly one vector column'),
  model: name.describe('The embedding model that filled the column'),
  dimensions: z.number().meta({ type: 'integer', minimum: 1, maximum: MAX_DIMENSIONS }),
  content_columns: z
    .string()
    .max(20_000)
    .describe(
      'Comma-separated column names. The first is the id of a hit, the second its title. Only these columns are returned',
    ),
  distance_metric: name.meta({ enum: [...DISTANCE_METRICS] }).default('cosine'),
})
export type EmbeddingConfigInput = z.output<typeof EmbeddingConfigInput>

const EmbeddingConfig = z.object({
  ...EmbeddingConfigInput.shape,
  columns: z.array(z.string()),
  distance_metric: z.enum(DISTANCE_METRICS),
})

const MinRelevance = z.enum(MIN_RELEVANCES)

export const SearchConfiguration = z.object({
  connection_config: z.object({
    embedding_configs: z.array(EmbeddingConfig),
    person_settings: PersonSettings.optional(),
    min_relevance: MinRelevance.optional(),
    error_rate: z.literal(ERROR_RATES).optional(),
  }),
  filter_schema: z.record(z.string(), FilterType),
  warnings: z.array(z.string()).describe('Problems that did not prevent saving, such as a slow search'),
})
export type SearchConfiguration = z.infer<typeof SearchConfiguration>

export const ModelCheck = z.object({
  label: z.string().describe('Label of the entry in `embedding_configs`'),
  outcome: z
    .enum(['alike', 'different', 'not_compared'])
    .describe('`different`: another model probably filled the column'),
  detail: z.string().describe('How many rows were compared, or why none were'),
})
export type ModelCheck = z.infer<typeof ModelCheck>

export const configureSource = operation({
  ...jsonPut,
  name: 'data-sources.configure',
  path: '/api/wf/data-sources/{id}',
  summary: 'Save the search configuration of a data source',
  description:
    'Replaces the whole configuration: keys that are not sent are removed, and an empty `embedding_configs` clears it. ' +
    'It is checked against the database first. If anything does not match, every problem is listed and nothing is saved. ' +
    'Afterwards a few stored vectors are compared with those that the model makes of the content columns: `model_checks` ' +
    'has the results, and a model that does not fit is one of the `warnings`.',
  access: { principals: ['user', 'api_token'], role: 'developer', scope: null, org: 'token', support: 'refused' },
  errors: ['INVALID_SEARCH_CONFIGURATION', 'CONFLICT', 'UNAVAILABLE'],
  input: z.object({
    id: IdInput,
    connection_config: z.strictObject({
      embedding_configs: z.array(EmbeddingConfigInput).max(MAX_EMBEDDING_CONFIGS),
      person_settings: boundedMap(name, z.string().max(20).meta({ enum: PersonClaim.options }), MAX_PERSON_SETTINGS)
        .optional()
        .describe(
          'Rows by person: settings that questions set from the verified person who asks, for example ' +
            '`{"app.email": "email"}`. The row-level security of every table decides by them which rows the person finds. ' +
            'Callers that are no person are refused',
        ),
      min_relevance: MinRelevance.optional().describe(
        'Hits whose `_relevance` is less are left out of answers. Hits whose relevance is `unknown` stay. Without it all hits are returned',
      ),
      error_rate: z
        .literal(ERROR_RATES)
        .optional()
        .describe(
          `Share of answerable questions that may be called \`no\` by mistake. Default: ${DEFAULT_ERROR_RATE}. A smaller one makes \`no\` rarer`,
        ),
    }),
    filter_schema: boundedMap(name, z.string().max(20).meta({ enum: FilterType.options }), MAX_FILTER_COLUMNS)
      .default({})
      .describe('Columns that questions can filter on, with the type of their values'),
    send_sample_to_provider: z
      .boolean()
      .default(false)
      .describe(
        'Compares also models of a provider outside: the content columns of at most 8 rows of each entry are sent to it. Without this only the built-in model is compared',
      ),
  }),
  output: SearchConfiguration.extend({ model_checks: z.array(ModelCheck) }),
})

export const SourcePlan = z.object({
  label: z.string().describe('Label of the entry in `embedding_configs`'),
  method: z.enum(['exact', 'hnsw', 'ivfflat']),
  index: z.string().nullable().describe('Name of the index; null for an exact search'),
  reason: z.string().describe('Why this method is used'),
  ef_search: z.int().nullable().describe('`hnsw.ef_search` of questions without a filter; null for other methods'),
  probes: z.int().nullable().describe('`ivfflat.probes` of questions; null for other methods'),
  measured: z
    .object({
      recall: z
        .number()
        .describe('Share of the exact answers that the chosen method found, of the kind of question that found least'),
      questions: z.int().describe('Number of points between rows that the index was asked with'),
      at: z.iso.datetime(),
    })
    .nullable()
    .describe('The measurement that chose the method and its setting; null while the default is used'),
  relevance: z
    .object({
      outcome: z
        .enum(['separated', 'unknown'])
        .describe('`unknown`: answers say `unknown` for their relevance, for the `reason`'),
      reason: z.enum(UNKNOWN_RELEVANCE_REASONS).nullable(),
      low: z.number().nullable().describe('A question whose best `_score` is below is called `no`'),
      high: z.number().nullable().describe('A question whose best `_score` reaches it is called `yes`'),
      error_rate: z.number().nullable().describe('Share of answerable questions that are called `no` by mistake'),
      questions: z.int().describe('Number of questions that were made from rows, and of general ones'),
      at: z.iso.datetime().nullable(),
    })
    .nullable()
    .describe('What the scores of the entry mean; null where measuring is switched off'),
})
export type SourcePlan = z.infer<typeof SourcePlan>

export const getSource = operation({
  ...jsonGet,
  name: 'data-sources.get',
  path: '/api/wf/data-sources/{id}',
  summary: 'Get a data source, its configuration and its search plan',
  description:
    '`connection_config` and `filter_schema` can be sent back unchanged to save them again. ' +
    '`plan` says for each entry whether an index is used and why. A new index is used within a minute. ' +
    'After questions were asked, the service measures how the index is best searched, and `measured` has the result, ' +
    'and which scores tell questions that the rows answer from others, which is in `relevance`. ' +
    '`vectors` says what is wrong with the stored vectors, from samples of the last nights.',
  access: { principals: ['user', 'api_token'], role: 'developer', scope: null, org: 'token' },
  errors: ['UNAVAILABLE'],
  input: z.object({ id: IdInput }),
  output: z.object({
    ...DataSource.shape,
    ...SearchConfiguration.shape,
    plan: z.array(SourcePlan),
    vectors: z.array(SourceVectors),
    max_staleness_seconds: z
      .int()
      .describe('How old an answer can be, because a read replica gives it. 0: answers are current'),
  }),
})
