import type { Proposal } from '#contract/maintenance/proposals.ts'
import { printable } from '../../../terminal/printable.ts'

/** Returns whether a test proves a change, in a sentence. An instance of an older release sends no proof. */
export function proofText({ proof }: Partial<Pick<Proposal, 'proof'>>): string {
  return proof ? printable(proof.text) : 'Not proven: the change brings no test that shows the fault.'
}
