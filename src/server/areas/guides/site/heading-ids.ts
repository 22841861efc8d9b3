/**
 * Returns a function that gives each heading of a page its id, as GitHub does, so that one link works in both places:
 * lower case, without punctuation, and numbered where a heading is repeated.
 */
export function createHeadingIds(): (text: string) => string {
  const counts = new Map<string, number>()
  return (text) => {
    const id = text
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-')
    const count = counts.get(id) ?? 0
    counts.set(id, count + 1)
    return count === 0 ? id : `${id}-${count}`
  }
}
