import { isRecord, tryParseObject } from '#lib/json.ts'

/** A request that an app logged. */
export type RequestLine = {
  /** Method and path, with ids in the path left out: `GET /orders/:id`. */
  readonly endpoint: string
  readonly status: number | undefined
  readonly durationMs: number | undefined
  /** A duration without a unit, which is milliseconds in some access logs and microseconds in others. */
  readonly plainDuration?: number
}

/** Access logs of JSON are shorter; a longer line is no line about one request. */
const MAX_CHARACTERS = 4_000
const METHOD_AND_PATH = /\b(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) {1,8}"?(\/[^\s"?#]{0,300})/
/** `HTTP/1.1 GET https://example.com/path`, as Kestrel writes it. */
const METHOD_AND_URL =
  /\bHTTP\/[\d.]{1,3} (GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) https?:\/\/[^\s/"?#]{1,253}(\/[^\s"?#]{0,300})?/
/** `| 200 | 1.2ms | 10.0.0.1 |` before the method, as Gin writes it. */
const BEFORE_METHOD = /\| {0,4}([1-5]\d\d) {0,4}\| {0,12}(\d[\d.]{0,15}) ?(ms|µs|s) ?\|/
/** Access logs that end with the seconds of nginx (three decimals) or gunicorn (six). */
const SECONDS_AT_END = /[\s"=](\d{1,5}\.(?:\d{3}|\d{6}))"?(?: (?:\d{1,5}\.\d{3}|-))?\s{0,4}$/
/** Access logs with a number behind the size, or behind the name of the browser. */
const NUMBER_AT_END = /(?: [1-5]\d\d (?:\d{1,12}|-)| "[^"]{0,300}") (\d{1,9})\s{0,4}$/
/** The three digits behind the path and before a blank, such as in `GET / HTTP/1.1" 200 512`. */
const STATUS = /(?:^|[\s=:>("])([1-5]\d\d)(?=[\s,;)"']|$)/
const DURATION = /(?:^|[\s=:+("])(\d{1,9}(?:\.\d{1,9})?) ?(ms|µs|us|s|sec|seconds?|milliseconds?)\b/

/** Reads a line of an access log: text, logfmt or JSON. Returns undefined for other lines. */
export function requestOf(text: string): RequestLine | undefined {
  const line = text.slice(0, MAX_CHARACTERS)
  if (!/GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS/.test(line)) return undefined
  const fields = line.startsWith('{') ? tryParseObject(line) : undefined
  return (fields && fromFields(fields)) ?? fromLogfmt(line) ?? fromText(line)
}

function fromText(line: string): RequestLine | undefined {
  const found = METHOD_AND_URL.exec(line) ?? METHOD_AND_PATH.exec(line)
  if (!found) return undefined
  const [, method = '', path = '/'] = found
  const rest = line.slice(found.index + found[0].length).split('\n', 1)[0]!
  const status = STATUS.exec(rest.slice(0, 300))?.[1]
  const durationMs = durationIn(rest.slice(0, 300)) ?? secondsAtEnd(rest)
  const isTimed = durationMs !== undefined
  if (status === undefined && !isTimed) return fromTextBefore(line.slice(0, found.index), method, path)
  const plain = isTimed ? undefined : NUMBER_AT_END.exec(rest)?.[1]
  const read = request(method, path, status === undefined ? undefined : Number(status), durationMs)
  return plain === undefined ? read : { ...read, plainDuration: Number(plain) }
}

function fromTextBefore(text: string, method: string, path: string): RequestLine | undefined {
  const found = BEFORE_METHOD.exec(text)
  return found ? request(method, path, Number(found[1]), durationIn(`${found[2]}${found[3]}`)) : undefined
}

function secondsAtEnd(text: string): number | undefined {
  const seconds = SECONDS_AT_END.exec(text)?.[1]
  return seconds === undefined ? undefined : Number(seconds) * 1000
}

function fromLogfmt(line: string): RequestLine | undefined {
  const method = /\bmethod="?([A-Z]{3,7})\b/.exec(line)?.[1]
  const path = /\b(?:path|url|uri|route)="?(\/[^\s"?#]{0,300})/.exec(line)?.[1]
  if (method === undefined || path === undefined) return undefined
  const status = /\b(?:status|code|status_code)="?([1-5]\d\d)\b/.exec(line)?.[1]
  const took =
    /\b(?:duration|elapsed|latency|took|response_time|service|dur)(?:_ms)?="?([\d.]{1,20}(?:[a-zµ]{1,12})?)/.exec(
      line,
    )?.[1]
  const durationMs = took === undefined ? secondsOf(line) : durationOf(took)
  return request(method, path, status === undefined ? undefined : Number(status), durationMs)
}

/** The names of nginx are seconds. */
function secondsOf(line: string): number | undefined {
  const seconds = /\b(?:request_time|upstream_response_time|rt)="?(\d{1,6}(?:\.\d{1,9})?)\b/.exec(line)?.[1]
  return seconds === undefined ? undefined : Number(seconds) * 1000
}

const NESTED = ['req', 'request', 'res', 'response', 'http'] as const
const METHODS = ['method', 'http_method', 'verb'] as const
const PATHS = ['path', 'url', 'uri', 'route', 'http_path', 'endpoint'] as const
const STATUSES = ['status', 'statusCode', 'status_code', 'http_status', 'code'] as const
/** Numbers under these names are milliseconds, which is what loggers of requests write. */
const DURATIONS = ['duration_ms', 'durationMs', 'responseTime', 'response_time', 'response_time_ms', 'elapsed_ms']
const MORE_DURATIONS = ['latency_ms', 'took_ms', 'duration', 'elapsed', 'latency', 'took', 'ms']

function fromFields(fields: Readonly<Record<string, unknown>>): RequestLine | undefined {
  const places = [fields, ...NESTED.map((key) => fields[key]).filter(isRecord)]
  const method = firstOf(places, METHODS)
  const path = firstOf(places, PATHS)
  if (typeof method !== 'string' || typeof path !== 'string' || !path.startsWith('/')) {
    const message = firstOf([fields], ['message', 'msg'])
    return typeof message === 'string' ? fromText(message) : undefined
  }
  const status = Number(firstOf(places, STATUSES))
  const took = firstOf(places, [...DURATIONS, ...MORE_DURATIONS])
  return request(
    method.toUpperCase().slice(0, 10),
    path.slice(0, 300),
    status >= 100 && status < 600 ? status : undefined,
    typeof took === 'number' ? took : typeof took === 'string' ? durationOf(took) : secondsIn(places),
  )
}

function secondsIn(places: readonly Readonly<Record<string, unknown>>[]): number | undefined {
  const seconds = Number(firstOf(places, ['request_time', 'upstream_response_time']) ?? Number.NaN)
  return Number.isNaN(seconds) ? undefined : seconds * 1000
}

function firstOf(places: readonly Readonly<Record<string, unknown>>[], keys: readonly string[]): unknown {
  for (const key of keys) {
    for (const fields of places) if (Object.hasOwn(fields, key)) return fields[key]
  }
  return undefined
}

function durationOf(text: string): number | undefined {
  return /^\d{1,9}(?:\.\d{1,9})?$/.test(text) ? Number(text) : durationIn(text)
}

export function durationIn(text: string): number | undefined {
  const found = DURATION.exec(text)
  if (!found) return undefined
  const unit = found[2]!
  const factor = unit.startsWith('m') ? 1 : unit === 'µs' || unit === 'us' ? 0.001 : 1000
  return Number(found[1]) * factor
}

export function request(
  method: string,
  path: string,
  status: number | undefined,
  durationMs: number | undefined,
): RequestLine {
  const segments = path.split('?', 1)[0]!.split('/').map(nameOfSegment)
  const endpoint = `${method} ${segments.join('/').slice(0, 200)}`
  return { endpoint, status, durationMs }
}

/** Ids differ from request to request; words do not. */
function nameOfSegment(segment: string): string {
  const isId = /^\d+$/.test(segment) || (/\d/.test(segment) && segment.length >= 8) || segment.length > 40
  return isId ? ':id' : segment
}
