import { day, searchOf, text } from '#console/address/search.ts'
import { midnight } from '../../mcp/activity/activity-search.ts'

/** The address of a view of the audit log. */
export const readAuditSearch = searchOf({ subject: text(40), person: text(100), from: day, to: day })
export type AuditSearch = ReturnType<typeof readAuditSearch>

/** The input of the list. Days begin and end at midnight in the zone of the reader. */
export function toAuditInput({ subject, person, from, to }: AuditSearch) {
  return {
    ...(subject !== undefined && { subject }),
    ...(person !== undefined && { user_id: person }),
    ...(from !== undefined && { from: midnight(from, 0) }),
    ...(to !== undefined && { to: midnight(to, 1) }),
  }
}
