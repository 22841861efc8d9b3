import { z } from 'zod'

/** Every fault that the nightly look at a table can find. */
export const VECTOR_FINDING_KINDS = [
  'missing',
  'dimensions',
  'zero',
  'constant',
  'duplicate',
  'norms',
  'models',
  'stale',
  'grown',
] as const
export const VectorFindingKind = z.enum(VECTOR_FINDING_KINDS)
export type VectorFindingKind = z.infer<typeof VectorFindingKind>

const VectorFinding = z.object({
  kind: VectorFindingKind.describe(
    '`missing`: no vector though there is text. `dimensions`: of another size. `zero`, `constant`: without a meaning. ' +
      '`duplicate`: the vector of a row with other text. `norms`: normalised beside raw vectors. `models`: of another ' +
      'model. `stale`: of a former text. `grown`: more than a tenth more rows than when the index was measured',
  ),
  rows_seen: z.int().describe('Rows with this fault in the samples of the last nights'),
  rows_looked_at: z.int().describe('Rows that were looked at for it in these nights'),
  share: z.number().describe('Estimated share of the rows of the table, 0 to 1'),
  first_seen: z.iso.datetime(),
  last_seen: z.iso.datetime(),
  explanation: z.string(),
  advice: z.string().describe('What to do about it'),
  sql: z.string().describe('Lists the rows. Run it in the database, for example with psql'),
})
export type VectorFinding = z.infer<typeof VectorFinding>

/** The state of the vectors of one entry, as the nights found it. It has counts and no content of rows. */
export const SourceVectors = z.object({
  label: z.string().describe('Label of the entry in `embedding_configs`'),
  state: z
    .enum(['not_looked_at', 'clean', 'findings', 'not_possible'])
    .describe('`not_looked_at`: the first night is still to come. `not_possible`: `reason` says why'),
  looked_at: z.iso.datetime().nullable(),
  reason: z.string().nullable().describe('Why the last look failed or is not possible; null if it was complete'),
  findings: z.array(VectorFinding),
  not_checked: z
    .array(z.object({ kind: VectorFindingKind, reason: z.string() }))
    .describe('Faults that could not be looked for, and why'),
})
export type SourceVectors = z.infer<typeof SourceVectors>
