import { isTrue, oneOf, searchOf, text, time } from '#console/address/search.ts'
import { LOG_LEVELS, MAX_LOG_SEARCH_CHARS } from '#contract/apps/logs.ts'

/** The filters of the page, as its address has them. A filter that cannot be read is left out. */
export const readLogSearch = searchOf({
  text: text(MAX_LOG_SEARCH_CHARS),
  level: oneOf(LOG_LEVELS),
  deploy: text(100),
  within: oneOf(['1h', '24h', '7d', 'all']),
  since: time,
  until: time,
  live: isTrue,
  line: text(20),
})
export type LogSearch = ReturnType<typeof readLogSearch>
