/** Compares versions by their three numbers: negative if the first is older, 0 if they are the same. */
export function compareVersions(one: string, other: string): number {
  const [first, second] = [one, other].map((version) => version.split(/[.+-]/, 3).map(Number)) as [number[], number[]]
  const place = first.findIndex((number, index) => number !== second[index])
  return place < 0 ? 0 : first[place]! - (second[place] ?? 0)
}
