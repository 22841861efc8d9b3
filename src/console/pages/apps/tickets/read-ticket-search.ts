import { isTrue, oneOf, searchOf } from '#console/address/search.ts'
import { TICKET_STATUSES } from '#contract/tickets.ts'

/** The filters of the page, as its address has them. */
export const readTicketSearch = searchOf({ status: oneOf(TICKET_STATUSES), mine: isTrue })
