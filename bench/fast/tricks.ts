/** The tricks for speed that `run.ts` can do without, each with its file. The plain module is `plain/<name>.ts`. */
export const TRICKS: Readonly<Record<string, string>> = {
  'exact-output': 'src/edge/fast/exact-output.ts',
  'take-whole-body': 'src/edge/fast/take-whole-body.ts',
  'local-request': 'src/edge/fast/local-request.ts',
  'whole-body': 'src/contract/fast/whole-body.ts',
  'prepared-query': 'src/lib/db/fast/prepared-query.ts',
  'join-turns': 'src/server/areas/activity/fast/join-turns.ts',
}
