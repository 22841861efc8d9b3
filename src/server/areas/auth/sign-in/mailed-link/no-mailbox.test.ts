import { expect, it } from 'vitest'
import { hasNoMailbox } from './no-mailbox.ts'

it.each([
  ['owner@example.com', true],
  ['ada@mail.example.org', true],
  ['ada@acme.example', true],
  ['ada@nowhere.invalid', true],
  ['ada@myexample.com', false],
  ['ada@example.com.acme.com', false],
  ['ada@example.de', false],
  ['example.com@acme.com', false],
])('AU-21 whether a sign-in link to %s can have no reader: %s', (email, expected) => {
  expect(hasNoMailbox(email)).toBe(expected)
})
