import { type Operation, pathShape } from '#contract/core/operation.ts'

/** Returns the shape of refusals that clients of a path understand, for answers that no route of this process makes. */
export type RefusalShapeOf = (path: string) => Operation['refusals']

export function createRefusalShapes(operations: readonly Operation[]): RefusalShapeOf {
  const shapes = operations.flatMap(({ path, refusals }) => (refusals ? [{ matches: pathShape(path), refusals }] : []))
  return (path) => shapes.find(({ matches }) => matches.test(path))?.refusals
}
