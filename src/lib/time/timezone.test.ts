import { expect, it } from 'vitest'
import { isTimezone } from './timezone.ts'

it.each([
  ['UTC', true],
  ['Europe/Berlin', true],
  ['Australia/Lord_Howe', true],
  ['Europe/Bonn', false],
  ['+01:00', false],
  ['', false],
  ['Europe/Berlin; drop', false],
])('MA-01 %j is a timezone: %s', (name, expected) => {
  expect(isTimezone(name)).toBe(expected)
})
