export type Trick = {
  readonly file: string
  readonly exports: readonly string[]
  /** Whether its exports make functions at the start, or objects of them, of which one is chosen at each call. */
  readonly makesFunctions?: boolean
}

/** The tricks for speed that `run.ts` can do without. The plain module is `plain/<name>.ts`. */
export const TRICKS: Readonly<Record<string, Trick>> = {
  'checked-callers': {
    file: 'src/edge/fast/checked-callers.ts',
    exports: ['createCheckedCallers'],
    makesFunctions: true,
  },
  'exact-output': { file: 'src/edge/fast/exact-output.ts', exports: ['createOutputParser'], makesFunctions: true },
  'local-request': { file: 'src/edge/fast/local-request.ts', exports: ['localRequest', 'localBody'] },
}
