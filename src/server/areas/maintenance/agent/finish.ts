import { z } from 'zod'
import { MODEL_KINDS } from '#contract/maintenance/finding-kinds.ts'

export const FINISH_TOOL = 'finish'
const MAX_SUMMARY = 2_000

const given = (description: string, max = 400) => z.string().max(max).nullish().describe(description)

/** The final answer of a model. The loop reads it and never executes it. */
export const Finish = z.strictObject({
  verdict: z
    .enum(['nothing', 'finding', 'change'])
    .describe('change: the staged edits fix the fault. finding: there is a fault and no edit. nothing: no fault'),
  kind: z.enum(MODEL_KINDS).nullish().describe('Of the fault'),
  path: given(
    'File of the fault, as the list of files has it. One that you read, or that a cited stack trace names',
    1024,
  ),
  symbol: given('Function or class of the fault', 100),
  check: given('Name of the failing check'),
  template: given('Log template of the fault, copied exactly from cited evidence', 500),
  summary: given('What is wrong and why, for the people who own the app: plain text, no links', MAX_SUMMARY),
  test: given('Path of a staged test file that fails without your other edits and passes with them', 1024),
  evidence: z.array(z.int()).max(20).nullish().describe('The evidence_id of each answer that the fault rests on'),
})
export type Finish = z.infer<typeof Finish>
