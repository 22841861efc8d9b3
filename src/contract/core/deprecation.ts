/** Announces that an operation will be removed. Days are in UTC, `YYYY-MM-DD`. */
export type Deprecation = {
  readonly since: string
  /** The first day on which the operation may be gone. */
  readonly sunset: string
  /** Name of the operation to use instead. */
  readonly use: string
}

/** Days between the announcement and the removal of an operation. */
export const MIN_DEPRECATION_DAYS = 180

const DAY_MS = 24 * 60 * 60_000

/** Returns the days from one day to another, or NaN if one of them is not a day. */
export function daysBetween(from: string, to: string): number {
  return (startOf(to) - startOf(from)) / DAY_MS
}

/** Throws if the days are wrong, or if clients would have less time than was promised. */
export function checkDeprecation(name: string, { since, sunset }: Deprecation): void {
  if (daysBetween(since, sunset) >= MIN_DEPRECATION_DAYS) return
  throw new Error(`${name} must stay for ${MIN_DEPRECATION_DAYS} days: it is deprecated since ${since} until ${sunset}`)
}

/** Returns the headers that announce it (RFC 9745, RFC 8594). The page of the link describes the operation. */
export function deprecationHeaders(name: string, { since, sunset }: Deprecation): Record<string, string> {
  return {
    deprecation: `@${startOf(since) / 1000}`,
    sunset: new Date(startOf(sunset)).toUTCString(),
    link: `</docs/${name.split('.')[0]}#${name}>; rel="deprecation"; type="text/html"`,
  }
}

/** The announcement in the headers of a deprecated operation. */
type Announcement = {
  readonly since: string
  readonly sunset: string | undefined
  /** A path of the instance. */
  readonly page: string | undefined
}

/** Returns undefined if the answer announces nothing. */
export function readDeprecation(headers: Headers): Announcement | undefined {
  const seconds = /^@(\d{1,10})$/.exec(headers.get('deprecation') ?? '')?.[1]
  if (seconds === undefined) return undefined
  const sunset = Date.parse(headers.get('sunset') ?? '')
  return {
    since: dayOf(Number(seconds) * 1000),
    sunset: Number.isNaN(sunset) ? undefined : dayOf(sunset),
    page: /<(\/[\w./#-]*)>; rel="deprecation"/.exec(headers.get('link') ?? '')?.[1],
  }
}

function startOf(day: string): number {
  return /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}
