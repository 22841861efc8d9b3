import { z } from 'zod'
import { IdInput } from '../core/inputs.ts'
import { jsonPost } from '../core/methods.ts'
import { operation } from '../core/operation.ts'

/** Values that a list of choices still helps with. */
export const MAX_KNOWN_VALUES = 20
/** Characters of a value. Answers may shorten longer ones, and a shortened value matches no row. */
export const MAX_KNOWN_VALUE_LENGTH = 100

export const listKnownValues = operation({
  ...jsonPost,
  name: 'data-sources.known-values',
  path: '/api/wf/slim/data-sources/{id}/known-values',
  summary: 'List the values of a filter column that has few',
  description:
    'Counts as a question: it needs the same role, is spent from the quota, is recorded in Activity, and reads only rows that a question of yours could find. Only for columns that questions can filter on and whose values answers show.',
  access: { principals: ['user', 'api_token'], role: 'viewer', scope: null, org: 'token', support: 'refused' },
  effect: 'read',
  errors: ['NO_SEARCH_CONFIGURED', 'SOURCE_CHANGED', 'RATE_LIMITED'],
  input: z.object({
    id: IdInput.describe('Id of a data source, `db_<database name>`'),
    column: z.string().min(1).max(300),
    target: z.string().max(300).optional().describe('Only of the entry with this label'),
  }),
  output: z.object({
    values: z
      .array(z.string())
      .max(MAX_KNOWN_VALUES)
      .describe(
        `Empty if more than ${MAX_KNOWN_VALUES} were found. Those of more than ${MAX_KNOWN_VALUE_LENGTH} characters are left out`,
      ),
    complete: z.boolean().describe('False if there can be other values. At most 10,000 rows of each entry are read'),
  }),
})
