import { type Fault, ServiceError } from '#contract/core/errors.ts'
import { nearest } from '#contract/core/suggest.ts'
import { shown } from './names.ts'

/** Collects the results of checks. Problems refuse the save, warnings are shown beside it. */
export class Findings {
  readonly problems: Fault[] = []
  readonly warnings: string[] = []
  #suggestions = 0

  /** Returns undefined, so that a check can end with `return report.problem(…)`. */
  problem(path: string, message: string): undefined {
    this.problems.push({ path, message })
  }

  warn(message: string): void {
    this.warnings.push(message)
  }

  /** Returns a question that names the nearest of `names`, to follow a message, or nothing if none is near. */
  near(word: string, names: readonly string[]): string {
    if (this.#suggestions >= MAX_SUGGESTIONS) return ''
    this.#suggestions++
    const found = nearest(word, names)
    return found === undefined ? '' : `. Did you mean "${shown(found)}"?`
  }

  /** Returns a reporter that puts `prefix` before each path. */
  at(prefix: string): Reporter {
    return {
      problem: (path, message) => this.problem(`${prefix}.${path}`, message),
      warn: (message) => this.warn(message),
      near: (word, names) => this.near(word, names),
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

export type Reporter = Pick<Findings, 'problem' | 'warn' | 'near'>

/** Bounds the work of comparing names, which would otherwise grow with the request and with the tables. */
const MAX_SUGGESTIONS = 20

/** Bounds the answer, which would otherwise grow with the request. No configuration written by hand has so many. */
export const MAX_REPORTED_PROBLEMS = 500
