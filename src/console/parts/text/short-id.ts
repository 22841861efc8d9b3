const KEPT = 8

/** Shortens an id to its prefix and its end, where ids of the same time differ: `dep_…x3k9q2wz`. */
export function shortId(id: string): string {
  const prefix = id.slice(0, id.indexOf('_') + 1)
  return id.length <= prefix.length + KEPT ? id : `${prefix}…${id.slice(-KEPT)}`
}
