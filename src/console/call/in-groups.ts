/** Most names or ids that an operation takes at a time. */
const GROUP = 100

/** Sorts distinct texts and joins them with commas, 100 at a time. The same texts give the same groups. */
export function inGroups(texts: readonly string[]): string[] {
  const distinct = [...new Set(texts)].toSorted()
  const count = Math.ceil(distinct.length / GROUP)
  return Array.from({ length: count }, (_, group) => distinct.slice(group * GROUP, (group + 1) * GROUP).join())
}
