import { day, oneOf, searchOf, text } from '#console/address/search.ts'

const OF_ONE_SOURCE = {
  source: oneOf(['mcp', 'cli', 'api']),
  person: text(100),
  status: oneOf(['answered', 'refused', 'failed', 'unknown']),
  period: oneOf(['day', 'week', 'month', 'days']),
  from: day,
  to: day,
}

/** The address of a view of Activity, which can be sent to a colleague. Functions are shown unless it says otherwise. */
export const readActivitySearch = searchOf({
  ...OF_ONE_SOURCE,
  type: oneOf(['functions', 'data_sources']),
  target: text(200),
})
export type ActivitySearch = ReturnType<typeof readActivitySearch>

/** The same for the tab of one source. */
export const readSourceActivitySearch = searchOf(OF_ONE_SOURCE)
