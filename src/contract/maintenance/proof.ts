import { z } from 'zod'

/** How often the tests run on each side of a proof. */
export const PROOF_RUNS = 3

const PROOF_OUTCOMES = ['proven', 'passes_before', 'flaky', 'fails_after', 'not_run'] as const
export type ProofOutcome = (typeof PROOF_OUTCOMES)[number]

const ProofSide = z.object({
  runs: z
    .array(z.enum(['passed', 'failed', 'ended']))
    .describe('The result of each run, the first one first. `ended`: the run was stopped and says nothing'),
  output: z
    .string()
    .nullable()
    .describe('The end of the output of the last run that failed, or else of the last run. Null in lists'),
})
export type ProofSide = z.infer<typeof ProofSide>

/** Whether a test that the change brings tells the live revision and the changed one apart. */
export const Proof = z.object({
  outcome: z
    .enum(PROOF_OUTCOMES)
    .describe(
      '`proven`: the test fails on the live revision and passes with the change. `passes_before`: it passes on both. `flaky`: its result is not always the same. `fails_after`: it fails with the change. `not_run`: it could not be judged',
    ),
  text: z.string().describe('The outcome as a sentence, with the reason'),
  test: z.string().describe('Path of the test. It is part of the change and of its diff'),
  before: ProofSide.describe('The tests of the live revision with the test files of the change'),
  after: ProofSide.describe('The tests of the changed revision'),
})
export type Proof = z.infer<typeof Proof>
