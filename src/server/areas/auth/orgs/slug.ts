/** The part of an organization's address made from its name: ASCII, lower case, at most 48 characters. */
export function slugOf(name: string): string {
  // Upper case first: it writes ß as SS.
  const ascii = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toUpperCase()
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
  const slug = ascii.replace(/^-+/, '').slice(0, 48).replace(/-+$/, '')
  return slug === '' ? 'org' : slug
}

/** The n-th to ask for a slug that is taken gets it with its number. */
export function numberedSlug(slug: string, n: number): string {
  return n === 1 ? slug : `${slug}-${n}`
}
