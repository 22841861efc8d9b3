import type { ServiceError } from '#contract/core/errors.ts'
import type { Operation } from '#contract/core/operation.ts'
import { secondsText } from '#contract/core/seconds-text.ts'
import { prefersHtml } from '../format/negotiate.ts'
import { problemHeaders } from '../format/problem.ts'
import { html } from './html.ts'
import { pageResponse } from './page.ts'

/** Whether to answer with a page: the operation serves HTML and the client prefers it. */
export function isForPeople(op: Operation, accept: string | null): boolean {
  return op.kind === 'raw' && op.produces.includes('text/html') && prefersHtml(accept)
}

/** Renders an error as a page, with the status and headers of the problem document. */
export function problemPage(error: ServiceError, requestId: string): Response {
  const { title, detail, status } = error.toProblem()
  const headers = problemHeaders(error, requestId)
  const wait = headers['retry-after']
  const body = html`<p class="fault" role="alert">${detail}</p>
${wait !== undefined && !detail.includes('Try again in') && html`<p>Try again in ${secondsText(Number(wait))}.</p>`}
<p class="soft">Request <code>${requestId}</code></p>`
  const response = pageResponse({ title, status, body })
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value)
  return response
}
