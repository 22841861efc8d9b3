import { z } from 'zod'
import { IdInput } from '../core/inputs.ts'
import { jsonPost, jsonPut } from '../core/methods.ts'
import { operation } from '../core/operation.ts'
import { configureSource, MAX_DIMENSIONS } from './search-config.ts'
import { querySource } from './sources.ts'

const name = z.string().max(300)

/** Another model and vector column for the entries of one table. Everything else of the configuration stays. */
const EmbeddingChange = z.strictObject({
  table: name.describe('`name` or `schema.name`, in the exact case; quote a part that contains a dot'),
  from: z
    .strictObject({ column: name, model: name })
    .describe('The vector column and the model that entries of the table use now'),
  to: z
    .strictObject({ column: name, model: name, dimensions: z.int().min(1).max(MAX_DIMENSIONS) })
    .describe('A vector column of the same table, and the model that filled it'),
})
export type EmbeddingChange = z.output<typeof EmbeddingChange>

const access = {
  principals: ['user', 'api_token'],
  role: 'developer',
  scope: null,
  org: 'token',
  support: 'refused',
} as const

export const changeEmbedding = operation({
  ...jsonPut,
  name: 'data-sources.change-embedding',
  path: '/api/wf/data-sources/{id}/embedding',
  summary: 'Answer the questions of a table by another model',
  description:
    'Replaces model and vector column of every entry of the table that uses the former ones, in one transaction: a question is ' +
    'answered wholly by the former column or wholly by the new one. The result is checked as a save is, and nothing ' +
    'changes if anything does not match. Entries that use `to` already stay as they are. It writes no vectors and drops no ' +
    'column: `svc db embed --switch` fills the new column, compares both and then calls this.',
  access,
  errors: ['INVALID_SEARCH_CONFIGURATION', 'CONFLICT', 'UNAVAILABLE'],
  input: z.object({ id: IdInput, ...EmbeddingChange.shape }),
  output: configureSource.output.extend({
    changed: z.array(z.string()).describe('Labels of the entries that were changed; empty if all used `to` already'),
  }),
})

export const queryWithEmbedding = operation({
  ...jsonPost,
  name: 'data-sources.query-with-embedding',
  path: '/api/wf/data-sources/{id}/embedding/query',
  summary: 'Ask a data source as it would answer with another model',
  description:
    'Answers a question as if the change of `PUT /api/wf/data-sources/{id}/embedding` had been made, and makes no change. ' +
    'The rules, limits and records are those of a question. The role that questions use gets the right to read the ' +
    'column `to`, which the next save of the configuration takes back.',
  access,
  effect: 'read',
  errors: [
    'NO_SEARCH_CONFIGURED',
    'SOURCE_CHANGED',
    'RATE_LIMITED',
    'INVALID_SEARCH_CONFIGURATION',
    'CONFLICT',
    'UNAVAILABLE',
  ],
  input: z.object({ ...querySource.input.shape, embedding: EmbeddingChange }),
  output: querySource.output,
})
