import type { Spans } from '#lib/tracing/spans.ts'
import type { RequestInfo } from './route.ts'

type Handle = (request: Request, params: Record<string, string>, query: string, info: RequestInfo) => Promise<Response>

/** Answers each request in a span, if tracing is on. The span has the name of the operation, never a path or a body. */
export function withSpan(name: string, handle: Handle, spans: Spans | undefined): Handle {
  if (!spans) return handle
  return (request, params, query, info) => {
    const facts = { 'http.request.method': request.method, 'svc.request_id': info.requestId }
    const parent = request.headers.get('traceparent')
    return spans.run({ name, kind: 'server', facts, parent }, async (open) => {
      const response = await handle(request, params, query, info)
      open.add({ 'http.response.status_code': response.status })
      if (response.status >= 500) open.fail()
      return response
    })
  }
}
