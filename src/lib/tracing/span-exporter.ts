import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer'
import type { SpanExporter } from '@opentelemetry/sdk-trace'

export type Collector = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly send: (request: Request) => Promise<Response>
  /** Called with an error when the collector stops taking spans, and with undefined when it takes them again. */
  readonly onChange: (error: unknown) => void
}

const SUCCESS = 0
const FAILED = 1

/** Sends spans as OTLP over HTTP in JSON. Spans that the collector does not take are dropped: they are not kept. */
export function createSpanExporter({ url, headers, send, onChange }: Collector): SpanExporter {
  let isFailing = false
  const report = (error?: unknown) => {
    if (isFailing !== (error !== undefined)) onChange(error)
    isFailing = error !== undefined
  }
  const post = async (body: Uint8Array<ArrayBuffer>) => {
    const request = new Request(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
    })
    const response = await send(request)
    await response.body?.cancel()
    if (!response.ok) throw new Error(`the collector answered ${response.status}`)
  }
  return {
    export(spans, done) {
      const bytes = new Uint8Array(JsonTraceSerializer.serializeRequest(spans) ?? [])
      post(bytes).then(
        () => {
          report()
          done({ code: SUCCESS })
        },
        (error: unknown) => {
          report(error)
          done({ code: FAILED })
        },
      )
    },
    shutdown: () => Promise.resolve(),
  }
}
