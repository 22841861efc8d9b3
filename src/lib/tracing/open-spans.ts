import { AsyncLocalStorage } from 'node:async_hooks'
import { type Context, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, TraceIdRatioBasedSampler, TracerProvider } from '@opentelemetry/sdk-trace'
import { type Collector, createSpanExporter } from './span-exporter.ts'
import type { NewSpan, OpenSpan, Spans } from './spans.ts'
import { parseTraceParent, writeTraceParent } from './trace-parent.ts'

type Options = Collector & {
  /** The part of all traces that is recorded, from 0 to 1. */
  readonly sample: number
  readonly service: string
  readonly version: string
}

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL } as const
/** Spans that wait for a slow collector. More are dropped. */
const MAX_WAITING = 4_096
const EXPORT_LIMIT_MS = 5_000

/**
 * Sends spans to a collector. Import it only where tracing is switched on: the library costs time at the start, and the
 * storage of the open span costs time at every await.
 *
 * Whether a trace is recorded depends on its id alone, so all services decide alike, and the flag of a caller decides
 * nothing.
 */
export function openSpans(options: Options): Spans {
  const { service, version, sample } = options
  const exporter = createSpanExporter(options)
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': service, 'service.version': version }),
    sampler: new TraceIdRatioBasedSampler(sample),
    spanProcessors: [
      new BatchSpanProcessor({ exporter, maxQueueSize: MAX_WAITING, exportTimeoutMillis: EXPORT_LIMIT_MS }),
    ],
  })
  const tracer = provider.getTracer('svc', version)
  const open = new AsyncLocalStorage<Context>()
  const run: Spans['run'] = (span, step) => {
    const outer = open.getStore() ?? outside(span.parent)
    const kind = KINDS[span.kind]
    const started = tracer.startSpan(span.name, { kind, ...(span.facts && { attributes: span.facts }) }, outer)
    return open.run(trace.setSpan(outer, started), () => untilEnd(started, step))
  }
  return {
    run,
    runInside: (span: NewSpan, step) => (open.getStore() ? run(span, step) : step()),
    header: () => writeTraceParent(trace.getSpanContext(open.getStore() ?? ROOT_CONTEXT)),
    [Symbol.asyncDispose]: () => provider.shutdown(),
  }
}

function outside(parent: string | null | undefined): Context {
  const remote = parseTraceParent(parent)
  return remote ? trace.setSpanContext(ROOT_CONTEXT, remote) : ROOT_CONTEXT
}

async function untilEnd<T>(span: Span, step: (open: OpenSpan) => Promise<T>): Promise<T> {
  try {
    return await step({
      add: (facts) => void span.setAttributes(facts),
      fail: () => void span.setStatus({ code: SpanStatusCode.ERROR }),
    })
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR, message: codeOf(error) })
    throw error
  } finally {
    span.end()
  }
}

/** The message of an error may quote what a caller wrote, so only its code or its name is recorded. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
