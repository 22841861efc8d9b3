/** Characters that a model is given by one call of a tool. More of them say little more and cost every later step. */
export const MAX_ANSWER_CHARACTERS = 8_000

/** Returns the first items whose JSON fits into an answer, and whether these are all. */
export function takeFitting<T>(items: readonly T[]): { readonly taken: T[]; readonly isAll: boolean } {
  const taken: T[] = []
  let characters = 0
  for (const item of items) {
    characters += JSON.stringify(item).length + 1
    if (characters > MAX_ANSWER_CHARACTERS) return { taken, isAll: false }
    taken.push(item)
  }
  return { taken, isAll: true }
}
