/** Whether the first or the second number differs. False if one of them is not a version. */
export function differsByMinor(one: string, other: string): boolean {
  const [first, second] = [one, other].map((version) => /^(\d+\.\d+)\.\d+(?:[-+][\w.+-]{1,40})?$/.exec(version)?.[1])
  return first !== undefined && second !== undefined && first !== second
}

/** Compares versions by their three numbers: negative if the first is older, 0 if they are the same. */
export function compareVersions(one: string, other: string): number {
  const [first, second] = [one, other].map((version) => version.split(/[.+-]/, 3).map(Number)) as [number[], number[]]
  const place = first.findIndex((number, index) => number !== second[index])
  return place < 0 ? 0 : first[place]! - (second[place] ?? 0)
}
