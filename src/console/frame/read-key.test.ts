import { expect, it } from 'vitest'
import { readKey } from './read-key.ts'

const press = (key: string, more = {}) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  repeat: false,
  isComposing: false,
  ...more,
})
const onPage = { isTyping: false, isAfterG: false }
const inField = { isTyping: true, isAfterG: false }
const afterG = { isTyping: false, isAfterG: true }

it('CO-08 keys search, list the shortcuts and go to a page', () => {
  expect(readKey(press('k', { ctrlKey: true }), onPage)).toEqual({ does: 'search' })
  expect(readKey(press('k', { metaKey: true }), onPage)).toEqual({ does: 'search' })
  expect(readKey(press('/'), onPage)).toEqual({ does: 'search' })
  expect(readKey(press('?', { shiftKey: true }), onPage)).toEqual({ does: 'list' })
  expect(readKey(press('g'), onPage)).toEqual({ does: 'wait' })
  expect(readKey(press('a'), afterG)).toEqual({ does: 'go', key: 'a' })
})

it('CO-08 letters in a field, other keys and keys of the browser are left alone', () => {
  for (const key of ['/', '?', 'g', 'a', 'k']) expect(readKey(press(key), inField)).toBeUndefined()
  expect(readKey(press('a'), onPage)).toBeUndefined()
  expect(readKey(press('g', { ctrlKey: true }), onPage)).toBeUndefined()
  expect(readKey(press('k', { ctrlKey: true, shiftKey: true }), onPage)).toBeUndefined()
  expect(readKey(press('k', { ctrlKey: true, altKey: true }), onPage)).toBeUndefined()
  expect(readKey(press('/', { isComposing: true }), onPage)).toBeUndefined()
  expect(readKey(press('k', { ctrlKey: true, repeat: true }), onPage)).toBeUndefined()
})
