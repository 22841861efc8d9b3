import { z } from 'zod'
import { TicketStatus } from '#contract/tickets.ts'

/** The filters of the page, as its address has them. */
export const TicketSearch = z.object({
  status: TicketStatus.optional().catch(undefined),
  mine: z.literal(true).optional().catch(undefined),
})
