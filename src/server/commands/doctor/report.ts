import { within } from '#lib/async/race.ts'

/** Something that is wrong (`problem`) or that the operator may have overlooked (`warning`), and what to do about it. */
export type Finding = { severity: 'problem' | 'warning'; message: string; action: string }

/** The findings of a check: none (an empty list), one thing or several. */
export type Findings = Finding | readonly Finding[]

export type DoctorCheck = { name: string; look: () => Promise<Findings> }

type CheckResult = {
  name: string
  status: 'ok' | 'warning' | 'problem' | 'skipped'
  findings: readonly Finding[]
}

type Report = { status: 'ok' | 'warning' | 'problem'; checks: readonly CheckResult[] }

/** Thrown by a check that cannot be made here. The message says why. */
export class Skipped extends Error {}

const CHECK_MS = 15_000

export const problem = (message: string, action: string): Finding => ({ severity: 'problem', message, action })
export const warning = (message: string, action: string): Finding => ({ severity: 'warning', message, action })

/** Makes all checks at once. One that fails or takes longer than 15 seconds is a problem and does not stop the others. */
export async function runChecks(checks: readonly DoctorCheck[]): Promise<Report> {
  const results = await Promise.all(checks.map(runCheck))
  const has = (status: CheckResult['status']) => results.some((result) => result.status === status)
  return { status: has('problem') ? 'problem' : has('warning') ? 'warning' : 'ok', checks: results }
}

async function runCheck({ name, look }: DoctorCheck): Promise<CheckResult> {
  const lateError = () => new Error(`no answer in ${CHECK_MS / 1000} seconds`)
  try {
    const findings = [await within(CHECK_MS, look(), lateError)].flat()
    const status = findings.some(({ severity }) => severity === 'problem') ? 'problem' : 'warning'
    return { name, status: findings.length === 0 ? 'ok' : status, findings }
  } catch (error) {
    if (error instanceof Skipped) {
      return { name, status: 'skipped', findings: [warning(error.message, 'Correct that first, then repeat.')] }
    }
    const finding = problem(`The check failed: ${messageOf(error)}.`, 'Correct the cause, then repeat.')
    return { name, status: 'problem', findings: [finding] }
  }
}

/** Returns the message of the error, or of its cause where it has none of its own, as with refused connections. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const own = error.message || (error instanceof AggregateError ? messageOf(error.errors[0]) : error.name)
  return error.cause === undefined ? own : `${own} (${messageOf(error.cause)})`
}

/** One line per check, and below it what was found and what to do. */
export function toText({ checks }: Report): string[] {
  return checks.flatMap(({ name, status, findings }) => [
    `${status.padEnd(8)} ${name}`,
    ...findings.flatMap(({ message, action }) => [`           ${message}`, `           → ${action}`]),
  ])
}
