/** A measured value that does not depend on the speed of the machine, and the bound it must keep. */
export type Floor = { name: string; value: number } & ({ atLeast: number } | { atMost: number })

export function isMissed(floor: Floor): boolean {
  // Negated, so that NaN counts as missed.
  return 'atLeast' in floor ? !(floor.value >= floor.atLeast) : !(floor.value <= floor.atMost)
}

export function lineOf(floor: Floor): string {
  const bound = 'atLeast' in floor ? `at least ${floor.atLeast}` : `at most ${floor.atMost}`
  return `${isMissed(floor) ? 'MISSED' : 'kept'}  ${floor.name}: ${Number(floor.value.toFixed(6))} (${bound})`
}

/** Prints every floor with its value; the process exits with 1 if one is missed, also in a tenth run. */
export function requireFloors(floors: readonly Floor[]): void {
  console.log('\nfloors')
  for (const floor of floors) console.log(lineOf(floor))
  if (floors.length === 0 || floors.some(isMissed)) process.exitCode = 1
}
