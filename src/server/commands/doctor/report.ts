import { within } from '#lib/async/race.ts'

/**
 * Something that is wrong (`problem`), that the operator may have overlooked (`warning`), that is not used because nobody
 * configured it (`not_set_up`), or that explains a result (`note`), and what to do about it.
 */
export type Finding = { severity: 'problem' | 'warning' | 'not_set_up' | 'note'; message: string; action: string }

/** The findings of a check: none (an empty list), one thing or several. */
export type Findings = Finding | readonly Finding[]

/** `look` returns undefined if there is nothing of the kind in this installation. The check is then left out. */
export type DoctorCheck = { name: string; look: () => Promise<Findings | undefined> }

type CheckResult = {
  name: string
  status: 'ok' | 'not_set_up' | 'warning' | 'problem' | 'skipped'
  findings: readonly Finding[]
}

type Report = { status: 'ok' | 'warning' | 'problem'; checks: readonly CheckResult[] }

/** Thrown by a check that cannot be made here. The message says why, the action what to do about it. */
export class Skipped extends Error {
  readonly action: string

  constructor(message: string, action = 'Correct that first, then repeat.') {
    super(message)
    this.action = action
  }
}

const CHECK_MS = 15_000

export const problem = (message: string, action: string): Finding => ({ severity: 'problem', message, action })
export const warning = (message: string, action: string): Finding => ({ severity: 'warning', message, action })
export const notSetUp = (message: string, action: string): Finding => ({ severity: 'not_set_up', message, action })
export const note = (message: string, action: string): Finding => ({ severity: 'note', message, action })

/** Makes all checks at once. One that fails or takes longer than 15 seconds is a problem and does not stop the others. */
export async function runChecks(checks: readonly DoctorCheck[]): Promise<Report> {
  const results = (await Promise.all(checks.map(runCheck))).filter((result) => result !== undefined)
  const has = (status: CheckResult['status']) => results.some((result) => result.status === status)
  return { status: has('problem') ? 'problem' : has('warning') ? 'warning' : 'ok', checks: results }
}

/** The statuses that findings give a check, the worst first. */
const WORST_FIRST = ['problem', 'warning', 'not_set_up'] as const

async function runCheck({ name, look }: DoctorCheck): Promise<CheckResult | undefined> {
  const lateError = () => new Error(`no answer in ${CHECK_MS / 1000} seconds`)
  try {
    const found = await within(CHECK_MS, look(), lateError)
    if (found === undefined) return undefined
    const findings = [found].flat()
    const status = WORST_FIRST.find((worst) => findings.some(({ severity }) => severity === worst))
    return { name, status: status ?? 'ok', findings }
  } catch (error) {
    if (error instanceof Skipped) {
      return { name, status: 'skipped', findings: [warning(error.message, error.action)] }
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

/** One line per check, and below it what was found and what to do. Checks that were skipped for one reason share it. */
export function toText({ checks }: Report): string[] {
  const skipped = Object.groupBy(
    checks.filter(({ status }) => status === 'skipped'),
    ({ findings }) => JSON.stringify(findings),
  )
  return [
    ...checks.filter(({ status }) => status !== 'skipped').flatMap(linesOf),
    ...Object.values(skipped).flatMap((same) =>
      linesOf({ ...same![0]!, name: same!.map(({ name }) => name).join(', ') }),
    ),
  ]
}

function linesOf({ name, status, findings }: CheckResult): string[] {
  return [
    `${status.replaceAll('_', ' ').padEnd(10)} ${name}`,
    ...findings.flatMap(({ message, action }) => [`             ${message}`, `             → ${action}`]),
  ]
}
