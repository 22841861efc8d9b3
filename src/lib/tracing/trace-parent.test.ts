import { expect, it } from 'vitest'
import { parseTraceParent } from './trace-parent.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const SPAN = 'b7ad6b7169203331'

it.each([
  ['a header of version 00', `00-${TRACE}-${SPAN}-01`],
  ['a header of a later version with more fields', `01-${TRACE}-${SPAN}-00-more`],
])('OP-03 %s continues the trace of the caller', (_, header) => {
  expect(parseTraceParent(header)).toMatchObject({ traceId: TRACE, spanId: SPAN })
})

it.each([
  ['no header', null],
  ['an empty header', ''],
  ['other text', 'x'.repeat(10_000)],
  ['the forbidden version', `ff-${TRACE}-${SPAN}-01`],
  ['a trace id of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
  ['a span id of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
  ['upper case', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
  ['a short id', `00-${TRACE.slice(1)}-${SPAN}-01`],
])('OP-03 %s starts a new trace', (_, header) => {
  expect(parseTraceParent(header)).toBeUndefined()
})
