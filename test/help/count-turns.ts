/** Counts how often other work of this process could run before the given work was done. */
export async function countTurns<T>(work: () => Promise<T>): Promise<{ result: T; turns: number }> {
  let turns = 0
  let isDone = false
  const turn = () => {
    if (isDone) return
    turns++
    setImmediate(turn)
  }
  setImmediate(turn)
  try {
    const result = await work()
    return { result, turns }
  } finally {
    isDone = true
  }
}
