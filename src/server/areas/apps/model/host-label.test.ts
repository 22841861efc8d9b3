import { describe, expect, it } from 'vitest'
import { hostLabels } from './host-label.ts'

const first = (alias: string, slug: string, orgId = 'org_1') => hostLabels({ alias, slug, orgId }).next().value

describe('MA-15 the host label of an app', () => {
  it('is alias and slug, also where it has 63 characters', () => {
    expect(first('hello', 'acme')).toBe('hello--acme')
    expect(first('a'.repeat(30), 's'.repeat(31))).toBe(`${'a'.repeat(30)}--${'s'.repeat(31)}`)
  })

  it.each([
    ['too long', 'a'.repeat(30), 's'.repeat(32)],
    ['two hyphens in the slug', 'hello', 'acme--inc'],
    ['capital letters', 'hello', 'Acme'],
    ['characters that no host name has', 'hello', 'acmé_ünder.score'],
    ['nothing that a host name can contain', 'hello', '日本'],
    ['hyphens around it', 'hello', '-acme-'],
  ])('has a hash where alias and slug cannot be it: %s', (_, alias, slug) => {
    const label = first(alias, slug)
    expect(label).toMatch(/^[a-z][a-z0-9]*(-{1,2}[a-z0-9]+)*-[0-9a-f]{10}$/)
    expect(label!.length).toBeLessThanOrEqual(63)
    expect(label!.startsWith(`${alias}--`)).toBe(true)
  })

  it('differs between organizations and aliases that are cut to the same text', () => {
    const slug = 's'.repeat(60)
    const labels = [first('hello', slug, 'org_1'), first('hello', slug, 'org_2'), first('hello', `${slug}x`, 'org_3')]
    expect(new Set(labels).size).toBe(3)
  })

  it('has alternatives for one that is taken, all different', () => {
    const labels = [...hostLabels({ alias: 'hello', slug: 'acme', orgId: 'org_1' })]
    expect(labels).toHaveLength(11)
    expect(new Set(labels).size).toBe(11)
  })
})
