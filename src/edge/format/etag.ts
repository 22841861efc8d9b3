/** Whether `If-None-Match` names the entity tag: any of the list, compared weakly (RFC 9110 section 13.1.2). */
export function matchesEtag(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false
  if (ifNoneMatch.trim() === '*') return true
  return ifNoneMatch.split(',').some((one) => withoutWeakness(one.trim()) === withoutWeakness(etag))
}

function withoutWeakness(etag: string): string {
  return etag.replace(/^W\//, '')
}
