import { TICKET_STATUSES } from '#contract/tickets.ts'
import { isTrue, oneOf, searchOf } from '../../../address/search.ts'

/** The filters of the page, as its address has them. */
export const readTicketSearch = searchOf({ status: oneOf(TICKET_STATUSES), mine: isTrue })
