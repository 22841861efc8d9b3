import { type Fault, ServiceError } from '#contract/core/errors.ts'

/** Collects the results of checks. Problems refuse the save, warnings are shown beside it. */
export class Findings {
  readonly problems: Fault[] = []
  readonly warnings: string[] = []

  /** Returns undefined, so that a check can end with `return report.problem(…)`. */
  problem(path: string, message: string): undefined {
    this.problems.push({ path, message })
  }

  warn(message: string): void {
    this.warnings.push(message)
  }

  /** Returns a reporter that puts `prefix` before each path. */
  at(prefix: string): Pick<Findings, 'problem' | 'warn'> {
    return {
      problem: (path, message) => this.problem(`${prefix}.${path}`, message),
      warn: (message) => this.warn(message),
    }
  }

  /** Throws INVALID_SEARCH_CONFIGURATION if there are problems. */
  refuseProblems(): void {
    const [first, ...more] = this.problems
    if (!first) return
    const rest = more.length === 0 ? '' : `; and ${more.length} more`
    const errors = this.problems.slice(0, MAX_REPORTED_PROBLEMS)
    throw new ServiceError('INVALID_SEARCH_CONFIGURATION', `${first.path}: ${first.message}${rest}`, { errors })
  }
}

export type Reporter = Pick<Findings, 'problem' | 'warn'>

/** Bounds the answer, which would otherwise grow with the request. No configuration written by hand has so many. */
const MAX_REPORTED_PROBLEMS = 500
