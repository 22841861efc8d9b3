import { oneOf, searchOf } from '#console/address/search.ts'
import { PROPOSAL_STATUSES } from '#contract/maintenance/proposals.ts'

/** The filter of the queue, as its address has it. Without one, what waits for a decision is shown. */
export const readChangeSearch = searchOf({ status: oneOf(['any', ...PROPOSAL_STATUSES]) })
