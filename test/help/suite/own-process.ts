import { globSync, readFileSync } from 'node:fs'

/**
 * Names in a test that changes or measures its whole process: environment, signals, memory, processor time. Other tests
 * in the same process would see the change or add to the measure.
 */
const CHANGES_OR_MEASURES_THE_PROCESS = [
  /\bvi\.(?:stub\w+|spyOn|mock|doMock)\b/,
  /\bprocess\.(?:on|once|off|emit|exitCode|chdir|umask|cpuUsage|memoryUsage|resourceUsage)\b/,
  /\bprocess\.env(?:\.\w+|\[[^\]]+\]) \??\??= /,
  /\bdelete process\.env\b/,
  /\bglobalThis\.\w+ = /,
  /\b(?:setFlagsFromString|queryObjects|monitorEventLoopDelay|setGlobalDispatcher)\b/,
]
const REPLACES_TIMERS = /\bvi\.(?:useFakeTimers|setSystemTime)\b/

export function changesOrMeasuresItsProcess(text: string): boolean {
  return CHANGES_OR_MEASURES_THE_PROCESS.some((pattern) => pattern.test(text))
}

/** Whether a test replaces timers or the date, and nothing else of its process. */
export function replacesOnlyTimers(text: string): boolean {
  return REPLACES_TIMERS.test(text) && !changesOrMeasuresItsProcess(text)
}

/** Tests that get a process of their own. All others share a few processes, which saves loading the server for each. */
export function findTestsOfTheirOwnProcess(): string[] {
  return findTests(changesOrMeasuresItsProcess)
}

/**
 * Tests that share processes with each other only, so that nothing that another test left running meets a replaced timer.
 * `real-timers.ts` brings the timers back after each file.
 */
export function findTestsThatReplaceTimers(): string[] {
  return findTests(replacesOnlyTimers)
}

function findTests(matches: (text: string) => boolean): string[] {
  const tests = globSync(['src/**/*.test.{ts,tsx}', 'test/**/*.test.ts']).map((path) => path.replaceAll('\\', '/'))
  return tests.filter((path) => matches(readFileSync(path, 'utf8')))
}
