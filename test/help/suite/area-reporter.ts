import { relative } from 'node:path'
import { DefaultReporter, type TestModule, type TestSpecification } from 'vitest/node'

const SLOWEST_SHOWN = 10
/** A run of fewer files prints a line for each of them. */
const MIN_FILES_OF_WHOLE_RUN = 100
const FILES_BETWEEN_LINES = 50

type Progress = { readonly files: number; done: number; tests: number; ms: number }

/** Prints a line for each area that is done instead of one for each file, and the slowest files at the end. */
export class AreaReporter extends DefaultReporter {
  #progress = new Map<string, Progress>()
  #isWhole = false
  #files = 0
  #doneFiles = 0

  override onTestRunStart(specifications: readonly TestSpecification[]): void {
    super.onTestRunStart(specifications)
    this.#files = specifications.length
    this.#isWhole = this.#files >= MIN_FILES_OF_WHOLE_RUN
    const files = specifications.map(({ moduleId }) => areaOf(relative(this.ctx.config.root, moduleId)))
    for (const [area, { length }] of Map.groupBy(files, (name) => name)) {
      this.#progress.set(area, { files: length, done: 0, tests: 0, ms: 0 })
    }
  }

  protected override printTestModule(module: TestModule): void {
    if (!this.#isWhole || module.state() === 'failed') super.printTestModule(module)
    const area = areaOf(relative(this.ctx.config.root, module.moduleId))
    const progress = this.#progress.get(area)
    if (!progress) return
    progress.done++
    progress.tests += [...module.children.allTests()].length
    progress.ms += durationOf(module)
    if (!this.#isWhole) return
    if (progress.done === progress.files) this.log(progressLine(area, progress))
    // On a terminal the running count is shown below.
    if (++this.#doneFiles % FILES_BETWEEN_LINES === 0 && !this.isTTY)
      this.log(`${this.#doneFiles} of ${this.#files} files`)
  }

  override onTestRunEnd(...run: Parameters<DefaultReporter['onTestRunEnd']>): void {
    super.onTestRunEnd(...run)
    if (!this.#isWhole) return
    const [modules] = run
    this.log('The slowest files:')
    for (const module of modules.toSorted((a, b) => durationOf(b) - durationOf(a)).slice(0, SLOWEST_SHOWN)) {
      this.log(`${seconds(durationOf(module)).padStart(8)}  ${relative(this.ctx.config.root, module.moduleId)}`)
    }
  }
}

/** Returns the area of the server, the part of the product, or `test` for tests of the whole. */
export function areaOf(path: string): string {
  const [top = '', part = '', second = '', area = ''] = path.split(/[\\/]/)
  if (top !== 'src') return top
  return part === 'server' && second === 'areas' ? area : part
}

export function progressLine(area: string, { files, tests, ms }: Omit<Progress, 'done'>): string {
  const counts = `${String(files).padStart(4)} files ${String(tests).padStart(6)} tests`
  return `done  ${area.padEnd(16)} ${counts} ${seconds(ms).padStart(8)}`
}

function durationOf(module: TestModule): number {
  return module.diagnostic().duration
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}
