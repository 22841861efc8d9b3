import { relative } from 'node:path'
import type { Reporter, TestModule, Vitest } from 'vitest/node'

export type SkippedTest = { file: string; name: string; reason: string | undefined }

/** Prints at the end of a run which tests were skipped and why. A skip without a reason fails the run. */
export class SkipReporter implements Reporter {
  #vitest: Vitest | undefined

  onInit(vitest: Vitest): void {
    this.#vitest = vitest
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    // With -t all other tests count as skipped without a reason.
    if (this.#vitest?.config.testNamePattern) return
    const skipped = modules.flatMap(skippedTests)
    for (const line of explainSkips(skipped)) this.#vitest?.logger.log(line)
    if (skipped.some(({ reason }) => reason === undefined)) process.exitCode = 1
  }
}

function skippedTests(module: TestModule): SkippedTest[] {
  const file = relative(module.project.config.root, module.moduleId)
  return [...module.children.allTests('skipped')].map((test) => {
    const result = test.result()
    const note = result.state === 'skipped' ? result.note : undefined
    return { file, name: test.fullName, reason: note ?? reasonIn(test.fullName) }
  })
}

/** Returns the reason that `skipped` in stores.ts wrote into a title. */
function reasonIn(name: string): string | undefined {
  return /\(skipped: ([^)]+)\)/.exec(name)?.[1]
}

/** Returns one line per reason, each followed by one line per group of skipped tests. */
export function explainSkips(tests: readonly SkippedTest[]): string[] {
  const byReason = Map.groupBy(tests, ({ reason }) => reason)
  return [...byReason].flatMap(([reason, those]) => {
    const groups = Map.groupBy(those, groupOf)
    return [
      `Skipped ${those.length} ${those.length === 1 ? 'test' : 'tests'}: ${reason ?? 'NO REASON GIVEN. Use needs() of test/help/stores.ts'}`,
      ...[...groups].map(([group, { length }]) => `  ${group} (${length})`),
    ]
  })
}

/** Returns the group of a skipped test: its file and the title with the reason, without the reason. */
function groupOf({ file, name, reason }: SkippedTest): string {
  const marked = name.split(' > ').findIndex((title) => reasonIn(title) !== undefined)
  const titles = reason === undefined || marked === -1 ? [name] : name.split(' > ').slice(0, marked + 1)
  return [file, ...titles].join(' > ').replace(/ \(skipped: [^)]+\)/, '')
}
