import { type Fault, ServiceError } from '#contract/core/errors.ts'

/** What the checks gather: problems refuse the save, warnings stand beside it. */
export class Findings {
  readonly problems: Fault[] = []
  readonly warnings: string[] = []

  /** Answers undefined, for checks that end with it. */
  problem(path: string, message: string): undefined {
    this.problems.push({ path, message })
  }

  warn(message: string): void {
    this.warnings.push(message)
  }

  /** A view of these that puts `prefix` before each path. */
  at(prefix: string): Pick<Findings, 'problem' | 'warn'> {
    return {
      problem: (path, message) => this.problem(`${prefix}.${path}`, message),
      warn: (message) => this.warn(message),
    }
  }

  refuseProblems(): void {
    const [first, ...more] = this.problems
    if (!first) return
    const rest = more.length === 0 ? '' : `; and ${more.length} more`
    const errors = this.problems.slice(0, MOST_PROBLEMS)
    throw new ServiceError('INVALID_SEARCH_CONFIGURATION', `${first.path}: ${first.message}${rest}`, { errors })
  }
}

export type Reporter = Pick<Findings, 'problem' | 'warn'>

/** Enough to mend any configuration a person writes; an answer must not grow with what was sent. */
const MOST_PROBLEMS = 500
