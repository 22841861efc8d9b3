import { durationIn, type RequestLine, request, requestOf } from './request-line.ts'

/** Requests that began and have no end yet. A log whose ends are missing needs no more memory than others. */
const MAX_OPEN = 1_000
const MAX_CHARACTERS = 1_000
const METHOD = '(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)'
/** `Started GET "/orders/7" for 10.0.0.1` of Rails, and `GET /orders/7` at the end of a line of Phoenix. */
const BEGIN = new RegExp(`\\bStarted ${METHOD} "(/[^\\s"?#]{0,300})|(?:^|\\s)${METHOD} (/[^\\s"?#]{0,300})$`)
/** `Completed 200 OK in 35ms (Views: …)` of Rails, and `Sent 200 in 35ms` of Phoenix. */
const END = /\b(?:Completed|Sent) ([1-5]\d\d)\b[^\n]{0,60}? in (\d{1,9}(?:\.\d{1,9})?(?:ms|µs|s))\b/
/** The id of a request, which all lines about it have, or else the process that wrote them. */
const REQUEST_ID = /\brequest_id=([\w.:-]{1,80})|\[([0-9a-f]{8}-[0-9a-f-]{4,27})\]|(#\d{1,9})\]/i

/** The name and the seconds of a job that ended: Celery, Sidekiq, and Active Job. */
const JOBS: readonly RegExp[] = [
  /\bTask ([\w.]{1,150})\[[\w-]{1,60}\] succeeded in (\d{1,7}(?:\.\d{1,12})?s)\b/,
  /\bclass=([\w:]{1,150}) [^\n]{0,200}?\belapsed=(\d{1,7}(?:\.\d{1,9})?)\b/,
  /\bPerformed ([\w:]{1,150}) \(Job ID: [^\n]{0,200}? in (\d{1,9}(?:\.\d{1,9})?ms)\b/,
]

/** Reads the lines of a log, oldest first, and returns the request or the job that each of them ends. */
export function createWorkReader(): (text: string) => RequestLine | undefined {
  const open = new Map<string, RequestLine>()
  return (text) => {
    const line = text.slice(0, MAX_CHARACTERS).split('\n', 1)[0]!
    const end = END.exec(line)
    if (end) return endOf(open, line, Number(end[1]), end[2]!)
    const begin = BEGIN.exec(line)
    if (begin) {
      const [, method = begin[3]!, path = begin[4]!] = begin
      if (open.size >= MAX_OPEN) open.clear()
      open.set(requestIdOf(line), request(method, path, undefined, undefined))
      return undefined
    }
    return requestOf(text) ?? jobOf(line)
  }
}

function endOf(open: Map<string, RequestLine>, line: string, status: number, took: string): RequestLine {
  const id = requestIdOf(line)
  const { endpoint = 'requests' } = open.get(id) ?? {}
  open.delete(id)
  return { endpoint, status, durationMs: durationIn(took) }
}

function requestIdOf(line: string): string {
  const found = REQUEST_ID.exec(line)
  return found?.[1] ?? found?.[2] ?? found?.[3] ?? ''
}

function jobOf(line: string): RequestLine | undefined {
  for (const form of JOBS) {
    const found = form.exec(line)
    if (!found) continue
    const took = found[2]!
    return {
      endpoint: `job ${found[1]}`,
      status: undefined,
      durationMs: durationIn(/\d$/.test(took) ? `${took}s` : took),
    }
  }
  return undefined
}
