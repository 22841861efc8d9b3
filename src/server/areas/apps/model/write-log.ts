/** Where lines of builds and apps go. Never throws and never waits: what cannot be kept is counted as dropped. */
export type WriteLog = (line: {
  readonly appId: string
  readonly deployId: string
  readonly source: 'app' | 'build' | 'system'
  readonly level: 'info' | 'warn' | 'error'
  readonly text: string
  /** When it was written; without it, now. */
  readonly at?: Date
  /** How many lines are missing, for a line that says so. */
  readonly dropped?: number
}) => void
