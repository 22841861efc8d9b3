import { expect, it } from 'vitest'
import { keepFragment, takeFragment } from './keep-fragment.ts'

const page = (hash: string, pathname = '/mcp/sources/db_docs') => ({ pathname, search: '', hash })

function storage() {
  const values = new Map<string, string>()
  return {
    getItem: (name: string) => values.get(name) ?? null,
    setItem: (name: string, value: string) => void values.set(name, value),
    removeItem: (name: string) => void values.delete(name),
  }
}

it('CO-13 a question of a link is there after signing in, once and on its page only', () => {
  const inTab = storage()
  keepFragment(page('#question=who'), inTab)
  expect(takeFragment(page(''), inTab)).toBe('#question=who')
  expect(takeFragment(page(''), inTab)).toBeUndefined()
  keepFragment(page('#question=who'), inTab)
  expect(takeFragment(page('', '/mcp/sources/db_other'), inTab)).toBeUndefined()
  expect(takeFragment(page(''), inTab)).toBeUndefined()
})

it('CO-13 another question in the address is not replaced', () => {
  const inTab = storage()
  keepFragment(page('#question=who'), inTab)
  expect(takeFragment(page('#question=when'), inTab)).toBeUndefined()
  keepFragment(page('#question=who'), inTab)
  keepFragment(page(''), inTab)
  expect(takeFragment(page(''), inTab)).toBeUndefined()
})
