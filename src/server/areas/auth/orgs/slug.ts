/** Returns the URL part made from an organization's name: ASCII, lower case, at most 48 characters. */
export function slugOf(name: string): string {
  // toUpperCase first, because it turns ß into SS.
  const ascii = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toUpperCase()
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
  const slug = ascii.replace(/^-+/, '').slice(0, 48).replace(/-+$/, '')
  return slug === '' ? 'org' : slug
}

/** Returns the slug for the n-th organization of the same name: `acme`, `acme-2`, `acme-3`. */
export function numberedSlug(slug: string, n: number): string {
  return n === 1 ? slug : `${slug}-${n}`
}
