import { globSync, readFileSync } from 'node:fs'

/**
 * Names in a test that changes or measures its whole process: timers, environment, signals, memory, processor time.
 * Other tests in the same process would see the change or add to the measure.
 */
const CHANGES_OR_MEASURES_THE_PROCESS = [
  /\bvi\.(?:useFakeTimers|setSystemTime|stub\w+|spyOn|mock|doMock)\b/,
  /\bprocess\.(?:on|once|off|emit|exitCode|chdir|umask|cpuUsage|memoryUsage|resourceUsage)\b/,
  /\bprocess\.env(?:\.\w+|\[[^\]]+\]) \??\??= /,
  /\bdelete process\.env\b/,
  /\bglobalThis\.\w+ = /,
  /\b(?:setFlagsFromString|queryObjects|monitorEventLoopDelay|setGlobalDispatcher)\b/,
]

export function changesOrMeasuresItsProcess(text: string): boolean {
  return CHANGES_OR_MEASURES_THE_PROCESS.some((pattern) => pattern.test(text))
}

/** Tests that get a process of their own. All others share a few processes, which saves loading the server for each. */
export function findTestsOfTheirOwnProcess(): string[] {
  const tests = globSync(['src/**/*.test.{ts,tsx}', 'test/**/*.test.ts']).map((path) => path.replaceAll('\\', '/'))
  return tests.filter((path) => changesOrMeasuresItsProcess(readFileSync(path, 'utf8')))
}
