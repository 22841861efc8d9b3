import { Cron } from 'croner'

/** A cron expression of five fields, read in a timezone. */
export type Schedule = { readonly cron: string; readonly timezone: string }

/**
 * Returns the first time of the schedule after `after`, or undefined if there is none. A time that the clocks leave out
 * is due when they change; one that they repeat is due once, unless the expression has it in every hour.
 */
export function nextTime(schedule: Schedule, after: Date): Date | undefined {
  return open(schedule).nextRun(after) ?? undefined
}

/** Returns the last time of the schedule at or before `at`, or undefined if there is none. */
export function latestTime(schedule: Schedule, at: Date): Date | undefined {
  // croner counts in whole seconds and leaves out the one it is given.
  const afterwards = new Date(Math.floor(at.getTime() / 1000) * 1000 + 1000)
  return open(schedule).previousRuns(1, afterwards)[0]
}

export function cronFault(cron: string): string | undefined {
  // croner also reads nicknames, dates and a field for seconds, which other tools would not understand.
  if (cron.trim().split(/\s+/).length !== 5) return 'A schedule has five fields, for example 0 3 * * *.'
  try {
    const next = nextTime({ cron, timezone: 'UTC' }, new Date(0))
    return next ? undefined : 'This schedule has no date that exists.'
  } catch {
    return 'This is not a cron expression. An example is 0 3 * * *.'
  }
}

function open({ cron, timezone }: Schedule): Cron {
  return new Cron(cron, { timezone, mode: '5-part' })
}
