/** Facts about a span: names, counts and codes of ours. Never what a caller wrote, nor the message of an error. */
type SpanFacts = Readonly<Record<string, string | number>>

export type NewSpan = {
  readonly name: string
  readonly kind: 'server' | 'client' | 'internal'
  readonly facts?: SpanFacts
  /** The `traceparent` header of the caller. Counts only where no span is open. */
  readonly parent?: string | null
}

export type OpenSpan = {
  add(facts: SpanFacts): void
  /** Marks the span as failed without an error. */
  fail(): void
}

/** Records how long steps take, and within which other step. Absent while tracing is switched off. */
export type Spans = AsyncDisposable & {
  /** Runs a step in a span of its own. Spans that it starts become children of this one. */
  run<T>(span: NewSpan, step: (open: OpenSpan) => Promise<T>): Promise<T>
  /** Runs a step in a span if another span is open, otherwise without one. */
  runInside<T>(span: NewSpan, step: () => Promise<T>): Promise<T>
  /** Returns the open span as a `traceparent` header, for a call to another of our services. */
  header(): string | undefined
}
