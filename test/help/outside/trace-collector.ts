import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

type Span = { traceId: string; spanId: string; parentSpanId?: string; name: string; service: string }
type Attribute = { key: string; value: { stringValue?: string } }
type Sent = {
  resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: Omit<Span, 'service'>[] }[] }[]
}

/** Takes spans as an OTLP collector does, over HTTP in JSON. `status` is what it answers. */
export async function startTraceCollector() {
  const bodies: string[] = []
  const requests = new Set<string>()
  const state = { status: 200 }
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    bodies.push(await text(request))
    requests.add(`${request.method} ${request.url} ${String(request.headers['x-team'])}`)
    response.writeHead(state.status, { 'content-type': 'application/json' }).end('{}')
  }
  const server = createServer((request, response) => void take(request, response))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    state,
    bodies,
    requests,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: () => bodies.flatMap((body) => spansOf(JSON.parse(body) as Sent)),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function spansOf({ resourceSpans }: Sent): Span[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? ''
    return scopeSpans.flatMap(({ spans }) => spans.map((span) => ({ ...span, service })))
  })
}
