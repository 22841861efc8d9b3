import { databaseSizes } from '#contract/databases.ts'
import { inGroups } from '../../call/in-groups.ts'
import { useCalls } from '../../call/use-calls.ts'

/** Returns a function for the bytes of a database: null if they are not known, undefined while they are loading. */
export function useSizes(names: readonly string[]): (name: string) => number | null | undefined {
  const { answers, isLoading } = useCalls(
    databaseSizes,
    inGroups(names).map((group) => ({ names: group })),
  )
  const sizes = new Map(answers.flatMap(({ items }) => items.map(({ name, bytes }) => [name, bytes])))
  return (name) => sizes.get(name) ?? (isLoading ? undefined : null)
}
