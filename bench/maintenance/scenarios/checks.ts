import type { CheckHistory } from './scenario.ts'

type Run = CheckHistory['runs'][number]

/** Runs every ten minutes for a day. `isFailing` says how each of them ended, by its age. */
export function everyTenMinutes(
  name: string,
  path: string,
  fail: { readonly detail: string; readonly isFailing: (minutesAgo: number) => boolean },
): CheckHistory {
  const runs = Array.from({ length: 144 }, (_, i): Run => {
    const minutesAgo = 1440 - i * 10 - 5
    return fail.isFailing(minutesAgo)
      ? { minutesAgo, verdict: 'fail', detail: fail.detail }
      : { minutesAgo, verdict: 'pass', detail: 'status 200' }
  })
  return { name, path, runs }
}

export function passing(name: string, path: string): CheckHistory {
  return everyTenMinutes(name, path, { detail: '', isFailing: () => false })
}

export function failingSince(name: string, path: string, minutesAgo: number, detail: string): CheckHistory {
  return everyTenMinutes(name, path, { detail, isFailing: (age) => age <= minutesAgo })
}
