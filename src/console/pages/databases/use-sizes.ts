import { inGroups } from '#console/call/in-groups.ts'
import { useCalls } from '#console/call/use-calls.ts'
import { databaseSizes } from '#contract/databases.ts'

/** Returns a function for the bytes of a database: null if they are not known, undefined while they are loading. */
export function useSizes(names: readonly string[]): (name: string) => number | null | undefined {
  const { answers, isLoading } = useCalls(
    databaseSizes,
    inGroups(names).map((group) => ({ names: group })),
  )
  const sizes = new Map(answers.flatMap(({ items }) => items.map(({ name, bytes }) => [name, bytes])))
  return (name) => sizes.get(name) ?? (isLoading ? undefined : null)
}
