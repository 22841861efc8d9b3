/** Reads one value of an address. Returns undefined for a value that it does not know. */
type Read<T> = (value: unknown) => T | undefined

type Fields = Readonly<Record<string, Read<unknown>>>

/** The values that an address had, without those that were not understood. */
type Search<F extends Fields> = { [K in keyof F]?: Exclude<ReturnType<F[K]>, undefined> | undefined }

/**
 * Makes the reader of the part of an address behind `?`. A value that is not understood is left out, so that an old
 * link still opens its page. It is not made with zod, which alone is a quarter of what Home may load.
 */
export function searchOf<const F extends Fields>(fields: F) {
  return (given: Record<string, unknown>): Search<F> => {
    const search: Search<F> = {}
    for (const name of Object.keys(fields) as (keyof F & string)[]) {
      const value = fields[name]!(given[name])
      if (value !== undefined) search[name] = value as Search<F>[typeof name]
    }
    return search
  }
}

export function text(max: number): Read<string> {
  return (value) => (typeof value === 'string' && value !== '' && value.length <= max ? value : undefined)
}

export function oneOf<const T extends string>(values: readonly T[]): Read<T> {
  return (value) => values.find((choice) => choice === value)
}

export const isTrue: Read<true> = (value) => (value === true ? true : undefined)

/** Reads a day as `2026-03-31`. */
export const day: Read<string> = (value) =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) && isDay(value) ? value : undefined

/** Reads a time with its zone, as `2026-03-31T10:00:00.000Z`. */
export const time: Read<string> = (value) =>
  typeof value === 'string' &&
  /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/.test(value) &&
  isDay(value.slice(0, 10)) &&
  !Number.isNaN(Date.parse(value))
    ? value
    : undefined

/** Refuses days such as 31 April, which `Date` reads as 1 May. */
function isDay(given: string): boolean {
  const at = Date.parse(given)
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(given)
}
