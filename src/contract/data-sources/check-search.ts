import { z } from 'zod'
import { jsonPost } from '../core/methods.ts'
import { operation } from '../core/operation.ts'
import { configureSource, ModelCheck, SourcePlan } from './search-config.ts'
import { querySource } from './sources.ts'

const CheckedPlan = SourcePlan.pick({ label: true, method: true, index: true, reason: true }).extend({
  index_statement: z
    .string()
    .nullable()
    .describe('SQL that creates an index for this entry. Null where one is used already, or none would be'),
})

export const checkSearch = operation({
  ...jsonPost,
  name: 'data-sources.check',
  path: '/api/wf/data-sources/{id}/check',
  summary: 'Check a search configuration without saving it',
  description:
    'Runs the checks of a save against the database and changes nothing. A save of the same document is refused with the same `faults`.',
  access: configureSource.access,
  effect: 'read',
  rateLimits: [{ name: 'data-source-check', per: 'principal', limit: 60, windowSeconds: 60 }],
  errors: ['CONFLICT', 'UNAVAILABLE'],
  input: configureSource.input,
  output: z.object({
    faults: z.array(
      z.object({
        path: z.string().describe('Place in the document, for example `connection_config.embedding_configs.0.table`'),
        message: z.string(),
      }),
    ),
    warnings: z.array(z.string()).describe('What a save would warn of'),
    plan: z.array(CheckedPlan).describe('How each entry would be searched. Empty where there are faults'),
    model_checks: z.array(ModelCheck),
  }),
})

export const previewSearch = operation({
  ...jsonPost,
  name: 'data-sources.preview',
  path: '/api/wf/data-sources/{id}/preview',
  summary: 'Ask one question under a search configuration without saving it',
  description:
    'The rules, limits and the record in Activity are those of a question. It runs as a role that may read the columns of ' +
    'the document and no others, in a transaction that is rolled back. Saved questions are not affected.',
  access: configureSource.access,
  effect: 'read',
  // A question is counted once its document has no fault, and finding the faults takes the time of the database.
  rateLimits: [{ name: 'data-source-preview', per: 'principal', limit: 60, windowSeconds: 60 }],
  errors: ['INVALID_SEARCH_CONFIGURATION', 'NO_SEARCH_CONFIGURED', 'SOURCE_CHANGED', 'CONFLICT', 'UNAVAILABLE'],
  input: z.object({
    ...configureSource.input.omit({ send_sample_to_provider: true }).shape,
    query: querySource.input.shape.query,
    top_k: querySource.input.shape.top_k,
  }),
  output: querySource.output,
})
