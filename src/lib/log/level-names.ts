export type StatedLevel = 'debug' | 'info' | 'warn' | 'error'

/** Names of levels in the logs of common languages, also short ones such as `WRN` of Serilog. */
const NAMES: Record<string, StatedLevel> = {
  trace: 'debug',
  debug: 'debug',
  verbose: 'debug',
  dbg: 'debug',
  vrb: 'debug',
  info: 'info',
  inf: 'info',
  information: 'info',
  notice: 'info',
  warn: 'warn',
  warning: 'warn',
  wrn: 'warn',
  error: 'error',
  err: 'error',
  severe: 'error',
  fatal: 'error',
  ftl: 'error',
  critical: 'error',
  crit: 'error',
  alert: 'error',
  emerg: 'error',
  emergency: 'error',
  panic: 'error',
}

export function levelOfWord(word: string): StatedLevel | undefined {
  const key = word.toLowerCase()
  return Object.hasOwn(NAMES, key) ? NAMES[key] : undefined
}
